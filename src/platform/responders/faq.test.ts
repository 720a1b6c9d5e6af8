import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import type { TextReplacements } from '../texts/english.ts'
import { createFaqResponder } from './faq.ts'
import type { AnswerPart, Responder } from './responder.ts'

let folder: string
let responder: Responder
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'natter-faq-'))
  await mkdir(join(folder, 'more'))
  await writeFile(
    join(folder, 'returns.md'),
    '# Returns\n\nSend anything back within 30 days.\n\n## Refunds\n\nWe refund to the card that you paid with.\n',
  )
  await writeFile(
    join(folder, 'more', 'sizes.md'),
    '# Size guide\n\nOur jackets run small.\n\n## Shoes\n\nShoes are true to size.\n',
  )
  await writeFile(join(folder, 'notes.txt'), '# Not for visitors\n\nSecret.\n')
  responder = await createFaqResponder({ folder, paceMs: 0 })
})
afterAll(() => rm(folder, { recursive: true }))

const addressed = {
  turnId: 'turn_c_1',
  bot: { id: 'b', name: 'Acme', locale: 'en', texts: {}, responder: { kind: 'faq' } as const, handover: false },
  conversationId: 'c',
}
const message = (text: string, author: Message['author'] = 'visitor'): Message => ({
  id: 'id',
  seq: 1,
  author,
  text,
  format: 'plain',
  createdAt: '',
})
async function ask(
  text: string,
  {
    contact = null,
    earlier = [],
    of = responder,
    ...settings
  }: {
    contact?: { id: string; name: string } | null
    earlier?: Message[]
    of?: Responder
    handover?: boolean
    locale?: string
    texts?: TextReplacements
  } = {},
) {
  const parts: AnswerPart[] = []
  const bot = { ...addressed.bot, ...settings }
  const question = { ...addressed, bot, contact, messages: [...earlier, message(text)] }
  for await (const part of of.answer(question, new AbortController().signal)) parts.push(part)
  return {
    text: parts.map(part => ('text' in part ? part.text : '')).join(''),
    quickReplies: parts.flatMap(part => ('quickReplies' in part ? part.quickReplies : [])),
    format: parts.find(part => 'format' in part)?.format ?? 'plain',
    handsOver: parts.some(part => 'handOver' in part),
    pieces: parts.length,
  }
}

describe('the faq responder', () => {
  it('replies in Markdown where plain text would lose something, otherwise in plain text', async () => {
    const prices = '| Country | Price |\n|---|--:|\n| Norway | **4.90** |'
    const content = await mkdtemp(join(tmpdir(), 'natter-markdown-'))
    await writeFile(
      join(content, 'delivery.md'),
      `# Delivery\n\n## Prices\n\n${prices}\n\n## Speed\n\nIn days:\n\n- Norway: 3\n\n## Carriers\n\nPosten\n`,
    )
    const of = await createFaqResponder({ folder: content, paceMs: 0 })
    await rm(content, { recursive: true })
    expect(await ask('What are the prices?', { of })).toMatchObject({ format: 'markdown', text: prices })
    expect(await ask('At which speed?', { of })).toMatchObject({ format: 'markdown', text: 'In days:\n\n- Norway: 3' })
    expect(await ask('Which carriers?', { of })).toMatchObject({ format: 'plain', text: 'Posten' })
  })

  it('answers everything asked since its last reply, and nothing twice', async () => {
    const earlier = [message('Which shoes?'), message('…', 'bot'), message('RETURNS'), message('returns?')]
    const { text } = await ask('What size are your shoes?', { earlier })
    expect(text).toBe('Send anything back within 30 days.\n\nShoes are true to size.')
  })

  it('answers what it knows, without an apology for what it does not', async () => {
    const earlier = [message('Who won the match in Kraków?')]
    expect(await ask('returns?', { earlier })).toMatchObject({
      text: 'Send anything back within 30 days.',
      quickReplies: [],
    })
  })

  it('says to files without a text that it cannot open them, and suggests topics and a person', async () => {
    const answer = await ask('', { handover: true })
    expect(answer.text).toBe("Thank you. I can't open files myself. You can ask me about one of these:")
    expect(answer.quickReplies).toEqual(expect.arrayContaining(['Returns', 'Talk to a person']))
  })

  it('answers with the section that fits best, for different wordings', async () => {
    for (const question of ['How long do I have to return something?', 'RETURNS', 'can i retun this?'])
      expect((await ask(question)).text).toBe('Send anything back within 30 days.')
    expect((await ask('Where does my refund go?')).text).toContain('the card')
    expect((await ask('What size are your shoes?')).text).toBe('Shoes are true to size.')
    expect((await ask('Sîze guide, please')).text).toBe('Our jackets run small.')
  })

  it('says that it does not know, and suggests topics', async () => {
    const { text, quickReplies } = await ask('Who won the football match in Kraków yesterday?')
    expect(text).toContain("I don't know")
    expect(quickReplies).toEqual(['Size guide', 'Returns'])
    expect((await ask('secret')).text).toContain("I don't know")
    for (const topic of quickReplies) expect((await ask(topic)).text).not.toContain("I don't know")
  })

  it('replies to a greeting and to thanks', async () => {
    expect((await ask('Thanks a lot')).text).toBe("You're welcome!")
    expect(await ask('Hello!')).toMatchObject({
      text: expect.stringMatching(/^How can I help/),
      quickReplies: ['Size guide', 'Returns'],
    })
  })

  it.each(['Bonjour !', '¡Hola!', 'Olá', 'Здравствуйте', 'السلام عليكم', 'नमस्ते', 'こんにちは。', '안녕하세요', '你好'])(
    'takes %s for a greeting',
    async greeting => expect((await ask(greeting)).text).toMatch(/^How can I help/),
  )

  it.each(['Merci beaucoup', 'Gracias', 'Děkuji!', 'شكرًا', 'धन्यवाद', 'ありがとうございます', '谢谢'])(
    'takes %s for thanks',
    async said => expect((await ask(said)).text).toBe("You're welcome!"),
  )

  it('offers a person where it does not know, and hands over when that is chosen, once', async () => {
    const unknown = await ask('quantum chromodynamics', { handover: true })
    expect(unknown.quickReplies.at(-1)).toBe('Talk to a person')
    expect((await ask('quantum chromodynamics')).quickReplies).not.toContain('Talk to a person')
    const chosen = await ask(' talk to a PERSON ', { handover: true, contact: { id: '1', name: 'Ada' } })
    expect(chosen).toMatchObject({ text: '', handsOver: true })
    expect(await ask('Talk to a person')).toMatchObject({ handsOver: false })
    // Nobody came, and the visitor asks something else.
    const expired = { ...message('', 'system'), event: 'handover_expired' }
    const earlier = [message('Talk to a person'), expired]
    const later = await ask('returns', { handover: true, earlier })
    expect(later).toMatchObject({ text: 'Send anything back within 30 days.', handsOver: false })
  })

  it('says what is not in the files in the language of the bot', async () => {
    const german = { handover: true, locale: 'de-AT', contact: { id: '1', name: 'Ada Lovelace' } }
    const unknown = await ask('quantum chromodynamics', german)
    expect(unknown.text).toBe('Darauf weiß ich leider keine Antwort. Sie können mich zum Beispiel danach fragen:')
    expect(unknown.quickReplies.at(-1)).toBe('Mit einem Menschen sprechen')
    expect((await ask('Hallo', german)).text).toMatch(/^Guten Tag, Ada! /)
    expect(await ask('Mit einem Menschen sprechen', german)).toMatchObject({ text: '', handsOver: true })
  })

  it('says the bot’s own texts in place of those in its language, and hands over by its own words', async () => {
    const texts = { unknown: 'Keine Ahnung.', person: 'Frag Grace', hello: '{name}, hallo!', welcome: 'Immer!' }
    const own = { handover: true, locale: 'de', texts, contact: { id: '1', name: 'Ada Lovelace' } }
    const unknown = await ask('quantum chromodynamics', own)
    expect(unknown.text).toBe('Keine Ahnung. Sie können mich zum Beispiel danach fragen:')
    expect(unknown.quickReplies.at(-1)).toBe('Frag Grace')
    expect((await ask('Hallo', own)).text).toMatch(/^Ada, hallo! Wie kann ich Ihnen helfen\?/)
    expect((await ask('danke', own)).text).toBe('Immer!')
    for (const words of [' frag GRACE ', 'Mit einem Menschen sprechen'])
      expect(await ask(words, own), words).toMatchObject({ text: '', handsOver: true })
    expect(await ask('Frag Grace', { ...own, handover: false })).toMatchObject({ handsOver: false })
  })

  it('greets a contact back by first name, and does not greet before an answer', async () => {
    const contact = { id: '1', name: 'Ada Lovelace' }
    expect((await ask('returns', { contact })).text).toBe('Send anything back within 30 days.')
    expect(await ask('Hello!', { contact })).toMatchObject({
      format: 'plain',
      text: expect.stringMatching(/^Hello Ada! How can I help/),
    })
    // A name that looks like Markdown is shown as it is.
    const marked = { id: '2', name: '*Ada* [x](https://a.example)' }
    expect(await ask('hi', { contact: marked })).toMatchObject({
      format: 'markdown',
      text: expect.stringMatching(/^Hello \\\*Ada\\\* \\\[x\\\]\\\(/),
    })
  })

  it('streams word by word, and stops when it is aborted', async () => {
    expect((await ask('returns')).pieces).toBe(6)
    const abort = new AbortController()
    const question = { ...addressed, contact: null, messages: [message('returns')] }
    const received: AnswerPart[] = []
    await expect(async () => {
      for await (const part of responder.answer(question, abort.signal)) {
        received.push(part)
        abort.abort()
      }
    }).rejects.toThrow()
    expect(received).toEqual([{ text: 'Send ' }])
  })

  it('has a reply for everything even without content', async () => {
    const of = await createFaqResponder({ paceMs: 0 })
    expect(await ask('returns', { of })).toMatchObject({
      text: expect.stringContaining("I don't know"),
      quickReplies: [],
    })
    expect(await ask('\0', { of })).toMatchObject({ text: 'How can I help you?' })
  })

  it('reports a missing folder by name', async () => {
    await expect(createFaqResponder({ folder: '/nowhere' })).rejects.toThrow("/nowhere can't be read")
  })
})
