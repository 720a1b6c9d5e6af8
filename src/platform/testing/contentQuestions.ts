import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readContent, type Section, splitSections } from '../responders/contentSections.ts'
import { cafeContent } from './cafeContent.ts'

/** Questions as people ask them, each with the heading of the section that answers it. */
export interface ContentQuestion {
  asked: string
  heading: string
}

const ask = (heading: string, ...asked: string[]): ContentQuestion[] => asked.map(each => ({ asked: each, heading }))

// About `demo/content`.
const shopQuestions: ContentQuestion[] = [
  ...ask('Where is my order?', 'Where is my order?', 'My parcel has not arrived, can you track it?'),
  ...ask('Can I change or cancel my order?', 'I want to cancel what I ordered this morning', 'cancelling an order'),
  ...ask('Can I change the delivery address?', 'I typed the wrong address, can you send it somewhere else?'),
  ...ask('Something is missing or wrong in my order. What now?', 'One of the items was missing from the box'),
  ...ask('Do I need an account to order?', 'Can I order without registering an account?'),
  ...ask('Do you have gift wrapping?', 'Could you wrap it as a present?'),
  ...ask('How long does delivery take?', 'How many days until you deliver to Austria?', 'delivery time'),
  ...ask('What does delivery cost?', 'Is shipping free?', 'How much are the shipping costs?'),
  ...ask('Which countries do you ship to? Do you ship to Norway?', 'Do you send parcels to Switzerland?'),
  ...ask('Can I pick up my order in a shop?', 'Can I collect it in your store in Berlin?'),
  ...ask('Do you deliver to parcel lockers?', 'Can it be delivered to a locker?'),
  ...ask('Which payment methods do you take?', 'Can I pay with PayPal?', 'Do you accept credit cards?'),
  ...ask('When is my card charged?', 'When will you take the money from my card?'),
  ...ask('My payment was declined. What can I do?', 'My card keeps being refused at the checkout, it was declined'),
  ...ask('Can I get an invoice for my company?', 'I need an invoice with our VAT number'),
  ...ask('How do I use a gift card or discount code?', 'Where do I enter my voucher code?', 'gift cards'),
  ...ask('How do I return something? How do I send back shoes or clothes?', 'I want to send these shoes back'),
  ...ask('How long do I have to return something?', 'Until when can I return my Christmas presents?'),
  ...ask('When do I get my refund? When is my money back?', 'I am still waiting to be refunded', 'refunds'),
  ...ask(
    'How do I exchange something that is too small or too big for another size?',
    'The trousers are too small, can I swap them for a bigger size?',
  ),
  ...ask("What can't be returned? Underwear?", 'Can I return socks?'),
  ...ask('My item is faulty, broken or damaged. What do I do?', 'The zip broke after a month, is there a warranty?'),
  ...ask('How do I wash wool?', 'How hot can I wash my merino jumper?', 'washing woollens'),
  ...ask('How do I look after my waxed jacket?', 'How often must the jacket be waxed?'),
  ...ask('How do I clean leather boots?', 'What do I do against dirt on my leather boots?'),
  ...ask('What are your clothes made of?', 'Which materials do you use? Is the cotton organic?'),
  ...ask('How do the shoes fit?', 'I have wide feet, which shoe size should I take?'),
  ...ask('How do I measure myself?', 'How should I measure my waist?'),
]

// About the documentation of the package `commander`.
const commanderQuestions: ContentQuestion[] = [
  ...ask('Installation', 'How do I install it?'),
  ...ask('Required option', 'How can I make an option mandatory?', 'an option that users must specify'),
  ...ask('Default option value', 'How do I set defaults for options?'),
  ...ask('Variadic option', 'Can an option take several values?', 'multiple values for an option'),
  ...ask('Version option', 'How do I print the version number of my program?'),
  ...ask('Custom option processing', 'Can I parse an option value into a number myself?'),
  ...ask('Command-arguments', 'How do I add arguments to a command?'),
  ...ask('Action handler', 'Where does the function go that handles a command?', 'async actions'),
  ...ask('Stand-alone executable (sub)commands', 'Can each subcommand be its own executable file?'),
  ...ask('Life cycle hooks', 'Run code before every action', 'hooking into commands'),
  ...ask('Custom help', 'How can I add extra text to the help?'),
  ...ask('Display help after errors', 'Show the help when the user makes an error'),
  ...ask('Display help from code', 'How do I output the help from my code?'),
  ...ask('Help Groups', 'Can I group the options in the help output?'),
  ...ask('Custom event listeners', 'How do I listen to events of an option?'),
  ...ask('.parse() and .parseAsync()', 'What is the difference between parse and parseAsync?'),
  ...ask('Debugging stand-alone executable subcommands', 'How do I debug a subcommand that runs in its own process?'),
  ...ask('Override exit and output handling', 'How do I stop it from calling process.exit in tests?'),
  ...ask('Display error', 'How can my own code report an error and exit?'),
]

// About the café of `cafeContent.ts`. The search has not been tuned by them.
const cafeQuestions: ContentQuestion[] = [
  ...ask('When are you open?', 'opening hours', 'Are you open on Sundays?', 'What time do you close today?'),
  ...ask('How do I find you?', "What's your address?"),
  ...ask('Is there parking?', 'Where can I park my car?'),
  ...ask('Are dogs welcome?', 'Can I bring my dog?'),
  ...ask('Do I need a reservation?', "I'd like to book a table for eight people"),
  ...ask('Is the café accessible with a wheelchair?', 'My mother uses a wheelchair, can she get in?'),
  ...ask('Can I work here with a laptop?', "What's the wifi password?"),
  ...ask('I have left something behind. Where is it?', 'I left my umbrella at your place yesterday'),
  ...ask('What is vegan?', 'Do you have anything vegan?'),
  ...ask('Do you have something without gluten?', "I can't eat gluten, what can I have?"),
  ...ask('Where does your coffee come from?', 'Which beans do you use for the coffee?'),
  ...ask('Do you have decaf?', 'Can I get a decaf cappuccino?'),
  ...ask('Can I bring my own cup?', 'Is there a discount for reusable cups?'),
  ...ask('How do I order a cake?', 'I want to order a birthday cake for Saturday', 'ordering cakes'),
  ...ask('What does a cake cost?', 'How much is a cake for twelve people?'),
  ...ask('Do you deliver cakes?', 'Can you deliver the cake to my home?'),
  ...ask('Can I cancel a cake?', 'I need to cancel my cake'),
  ...ask('Can I rent the café for a party?', 'Can we have our wedding party at your café?'),
  ...ask('Do you sell gift vouchers?', 'Can I buy a voucher as a present?'),
  ...ask('Which cards do you take?', 'Do you take American Express?', 'Can I pay in cash?'),
  ...ask('Are you hiring?', 'Are you looking for people in the kitchen?'),
]

const cafeUnanswered = [
  'Where is my order?',
  'Do you have an app?',
  'Can I get an invoice with VAT?',
  'Who won the match?',
  'Do you ship to Norway?',
  'What will the weather be like tomorrow?',
  'How old is the owner?',
  'Is there a swimming pool nearby?',
  'Tell me a joke',
  'When will my parcel arrive?',
]

const commanderUnanswered = [
  'Who won the match?',
  'Can I bring my dog?',
  'Do you ship to Norway?',
  'How much is a bicycle?',
  'What is the capital of France?',
  'Where is my order?',
  'Tell me a joke',
]

const shopUnanswered = [
  'Who won the match?',
  'Do you sell bicycles?',
  'What is the capital of France?',
  'Are you hiring?',
  'Can I bring my dog?',
  'Do you have an app?',
  'What is your phone number?',
  'Is there parking?',
  'Can I order a birthday cake?',
  'Do you have a newsletter?',
  'Can you help me with my homework?',
  'Tell me a joke',
  'How much is a bicycle?',
  'When does the match begin?',
]

/** Content with questions of people, and with others that it does not answer. */
export interface ContentSet {
  sections: Section[]
  questions: ContentQuestion[]
  unanswered: string[]
}

const root = join(import.meta.dirname, '../../..')
const commander = readFileSync(join(root, 'node_modules/commander/Readme.md'), 'utf8')
const { sections } = await readContent(join(root, 'demo/content'))

export const contentSets = {
  shop: { sections, questions: shopQuestions, unanswered: shopUnanswered },
  commander: { sections: splitSections(commander), questions: commanderQuestions, unanswered: commanderUnanswered },
  cafe: { sections: splitSections(cafeContent), questions: cafeQuestions, unanswered: cafeUnanswered },
} satisfies Record<string, ContentSet>
