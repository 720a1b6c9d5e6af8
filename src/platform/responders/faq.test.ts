import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { collect, messageOf, questionOf } from '../testing/scriptedResponder.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { createFaqResponder } from './faq.ts'
import type { AnswerPart, Question, Responder } from './responder.ts'

/** A responder that answers from these files. */
function answerFrom(files: Record<string, string>): Promise<Responder> {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'more'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return createFaqResponder({ folder, paceMs: 0 })
}

const refunds = '## Refunds\n\nWe refund to the card that you paid with.\n'
const responder = await answerFrom({
  'returns.md': `# Returns\n\nSend anything back within 30 days.\n\n${refunds}`,
  'more/sizes.md': '# Size guide\n\nOur jackets run small.\n\n## Shoes\n\nShoes are true to size.\n',
  'notes.txt': '# Not for visitors\n\nSecret.\n',
})

type Asking = Partial<Question['bot']> & { contact?: Question['contact']; earlier?: Message[]; of?: Responder }
const said = (text: string, author: Message['author'] = 'visitor') => messageOf(author, text, 1)
function ask(text: string, { contact = null, earlier = [], of = responder, ...settings }: Asking = {}) {
  const question = questionOf({ kind: 'faq' })
  const bot = { ...question.bot, ...settings }
  const asked = { ...question, bot, contact, messages: [...earlier, said(text)] }
  return collect(of.answer(asked, new AbortController().signal))
}
const ada = { id: '1', name: 'Ada Lovelace' }

describe('the faq responder', () => {
  it('replies in Markdown where plain text would lose something, otherwise in plain text', async () => {
    const prices = '| Country | Price |\n|---|--:|\n| Norway | **4.90** |'
    const speed = 'In days:\n\n- Norway: 3'
    const of = await answerFrom({
      'delivery.md': `# Delivery\n\n## Prices\n\n${prices}\n\n## Speed\n\n${speed}\n\n## Carriers\n\nPosten\n`,
    })
    expect(await ask('What are the prices?', { of })).toMatchObject({ format: 'markdown', text: prices })
    expect(await ask('At which speed?', { of })).toMatchObject({ format: 'markdown', text: speed })
    expect(await ask('Which carriers?', { of })).toMatchObject({ format: 'plain', text: 'Posten' })
  })

  it('answers everything that it knows since its last reply, nothing twice, and without an apology for the rest', async () => {
    const unknown = said('Who won the match in Kraków?')
    const earlier = [said('Which shoes?'), said('…', 'bot'), said('RETURNS'), unknown, said('returns?')]
    const text = 'Send anything back within 30 days.\n\nShoes are true to size.'
    expect(await ask('What size are your shoes?', { earlier })).toMatchObject({ text, quickReplies: [] })
  })

  it('names the page on which an answer stands, once', async () => {
    const page = '---\nsource: https://shop.example/care\n---\n'
    const of = await answerFrom({ 'care.md': `${page}# Care\n\n## Wool\n\nBy hand.\n\n## Boots\n\nWith a cloth.\n` })
    const source = { title: 'Wool', url: 'https://shop.example/care' }
    expect(await ask('wool', { of })).toMatchObject({ text: 'By hand.', sources: [source] })
    expect(await ask('wool', { of, earlier: [said('Wool?')] })).toMatchObject({ text: 'By hand.', sources: [source] })
    expect(await ask('sizes')).not.toHaveProperty('sources')
  })

  it('answers with the section that fits best, for different wordings', async () => {
    for (const question of ['How long do I have to return something?', 'RETURNS', 'can i retun this?'])
      expect((await ask(question)).text).toBe('Send anything back within 30 days.')
    expect((await ask('Where does my refund go?')).text).toContain('the card')
    expect((await ask('What size are your shoes?')).text).toBe('Shoes are true to size.')
    expect((await ask('Sîze guide, please')).text).toBe('Our jackets run small.')
  })

  it('says that it does not know, suggests topics, and has a reply for everything even without content', async () => {
    const { text, quickReplies } = await ask('Who won the football match in Kraków yesterday?')
    expect(text).toContain("I don't know")
    expect(quickReplies).toEqual(['Size guide', 'Returns'])
    expect((await ask('secret')).text).toContain("I don't know")
    for (const topic of quickReplies) expect((await ask(topic)).text).not.toContain("I don't know")
    const of = await createFaqResponder({ paceMs: 0 })
    const unknown = { text: expect.stringContaining("I don't know"), quickReplies: [] }
    expect(await ask('returns', { of })).toMatchObject(unknown)
    expect(await ask('\0', { of })).toMatchObject({ text: 'How can I help you?' })
  })

  it('offers a person where it does not know or cannot open a file, and hands over when that is chosen, once', async () => {
    const unknown = await ask('quantum chromodynamics', { handover: true })
    expect(unknown.quickReplies).toEqual(['Size guide', 'Returns', 'Talk to a person'])
    const files = await ask('', { handover: true })
    expect(files.text).toBe("Thank you. I can't open files myself. You can ask me about one of these:")
    expect(files.quickReplies).toEqual(unknown.quickReplies)
    expect((await ask('quantum chromodynamics')).quickReplies).not.toContain('Talk to a person')
    const chosen = await ask(' talk to a PERSON ', { handover: true, contact: ada })
    expect(chosen).toMatchObject({ text: '', handOver: true })
    expect(await ask('Talk to a person')).not.toHaveProperty('handOver')
    // Nobody came, and the visitor asks something else.
    const earlier = [said('Talk to a person'), { ...said('', 'system'), event: 'handover_expired' }]
    const later = await ask('returns', { handover: true, earlier })
    expect(later.text).toBe('Send anything back within 30 days.')
    expect(later).not.toHaveProperty('handOver')
  })

  it('says the bot’s own texts, the others in its language, and hands over by the words of either', async () => {
    const texts = { unknown: 'Keine Ahnung.', person: 'Frag Grace', hello: '{name}, hallo!', welcome: 'Immer!' }
    const own = { handover: true, locale: 'de-AT', texts, contact: ada }
    const unknown = await ask('quantum chromodynamics', own)
    expect(unknown.text).toBe('Keine Ahnung. Sie können mich zum Beispiel danach fragen:')
    expect(unknown.quickReplies.at(-1)).toBe('Frag Grace')
    expect((await ask('Hallo', own)).text).toMatch(/^Ada, hallo! Wie kann ich Ihnen helfen\?/)
    expect((await ask('danke', own)).text).toBe('Immer!')
    for (const words of [' frag GRACE ', 'Mit einem Menschen sprechen'])
      expect(await ask(words, own), words).toMatchObject({ text: '', handOver: true })
    expect(await ask('Frag Grace', { ...own, handover: false })).not.toHaveProperty('handOver')
  })

  it('replies to thanks and greetings, to a contact by first name, and does not greet before an answer', async () => {
    expect((await ask('Thanks a lot')).text).toBe("You're welcome!")
    const hello = { text: expect.stringMatching(/^How can I help/), quickReplies: ['Size guide', 'Returns'] }
    expect(await ask('Hello!')).toMatchObject(hello)
    expect((await ask('returns', { contact: ada })).text).toBe('Send anything back within 30 days.')
    const greeted = { format: 'plain', text: expect.stringMatching(/^Hello Ada! How can I help/) }
    expect(await ask('Hello!', { contact: ada })).toMatchObject(greeted)
    // A name that looks like Markdown is shown as it is.
    const marked = await ask('hi', { contact: { id: '2', name: '*Ada* [x](https://a.example)' } })
    expect(marked).toMatchObject({
      format: 'markdown',
      text: expect.stringMatching(/^Hello \\\*Ada\\\* \\\[x\\\]\\\(/),
    })
  })

  it('streams word by word, and stops when it is aborted', async () => {
    expect((await ask('returns')).pieces).toBe(6)
    const abort = new AbortController()
    const received: AnswerPart[] = []
    await expect(async () => {
      for await (const part of responder.answer(questionOf({ kind: 'faq' }, 'returns'), abort.signal)) {
        received.push(part)
        abort.abort()
      }
    }).rejects.toThrow()
    expect(received).toEqual([{ text: 'Send ' }])
  })
})
