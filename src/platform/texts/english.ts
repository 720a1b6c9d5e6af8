/** What the platform says in a bot's name by default. */
export interface BotTexts {
  /** The greeting of a new bot. */
  greeting: string
  /** Before the embedded responder's answer to a contact's greeting. `{name}` is the first name. */
  hello: string
  /** The embedded responder's answers to a greeting, to thanks, to what it doesn't know, and to files without a text. */
  help: string
  welcome: string
  unknown: string
  files: string
  /** Before the topics that it can answer. */
  topics: string
  /** The quick reply with which a visitor asks for a person of the team. */
  person: string
  /** Replaces an answer if the responder fails. */
  apology: string
  /** The quick reply with which a visitor repeats the question. */
  retry: string
  /** Behind an answer that a model has not finished. */
  cutOff: string
  /** Replace an answer beyond a limit. */
  tooMany: string
  noMoreToday: string
}

/** The texts that a bot has in place of the default ones. Its greeting is a setting of its own. */
export type TextReplacements = Partial<Omit<BotTexts, 'greeting'>>

export const english: BotTexts = {
  greeting: 'Hello!\nHow can we help?',
  hello: 'Hello {name}!',
  help: 'How can I help you?',
  welcome: "You're welcome!",
  unknown: "I'm sorry, I don't know the answer to that.",
  topics: 'You can ask me about one of these:',
  files: "Thank you. I can't open files myself.",
  person: 'Talk to a person',
  apology: 'Sorry, I could not answer that just now. Your message is safe: please try again.',
  retry: 'Try again',
  cutOff: '(This answer was cut off before its end.)',
  tooMany: 'That is more than I can answer at once. Please wait a minute and try again.',
  noMoreToday: "I can't answer any more questions today. Please try again tomorrow.",
}
