import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { createFaqResponder } from '../responders/faq.ts'
import type { Responder } from '../responders/responder.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { createTestTenants } from '../testing/testTenants.ts'
import { texts as german } from '../texts/locales/de.ts'
import { texts as french } from '../texts/locales/fr.ts'

/** A responder that fails at the first questions of a test. */
function createFailingResponder(): Responder {
  const { responder, say } = createScriptedResponder()
  for (let count = 0; count < 10; count++) void say(new Error('The model is gone'))
  return responder
}

/** A visitor who waits for the answer to each message. */
async function start(responder: Responder, settings: { locale?: string; limits?: object; texts?: object }) {
  const { ours, store } = await createTestTenants({ responder, rateLimit: 3600 })
  await store.updateBot(ours.bot.id, settings)
  const token = await ours.visitorToken()
  const events = await ours.events(token)
  const post = (json: object) => ours.call('POST', '/widget/messages', { token, json })
  return {
    post,
    async ask(text: string, more: object = {}): Promise<Message> {
      expect((await post({ id: randomUUID(), text, ...more })).status).toBe(201)
      for (;;) {
        const { data } = await events.nextOf('message')
        if (data['author'] !== 'visitor') return data as unknown as Message
      }
    },
  }
}

describe('what a bot says by itself', () => {
  it('is in the language of the widget, which it follows, if the bot has none', async () => {
    const { ask } = await start(createFailingResponder(), { locale: '' })
    expect(await ask('Hello')).toMatchObject({ text: expect.stringMatching(/^Sorry, I could not/) })
    const sorry = { text: german.apology, quickReplies: [german.retry] }
    expect(await ask('Hallo', { locale: 'de-AT' })).toMatchObject(sorry)
    expect((await ask('Servus')).text).toBe(german.apology)
    expect((await ask('Bonjour', { locale: 'FR' })).text).toBe(french.apology)
    const ofGermanBot = await start(createFailingResponder(), { locale: 'de' })
    expect((await ofGermanBot.ask('Bonjour', { locale: 'fr' })).text).toBe(german.apology)
  })

  it('is in the language of the widget about limits, too, unless the bot has its own words', async () => {
    const limits = { conversationTurnsPerMinute: 1 }
    const { ask } = await start(createFailingResponder(), { locale: '', limits, texts: { retry: 'Again' } })
    await ask('Hallo', { locale: 'de' })
    expect(await ask('Hallo?')).toMatchObject({ text: german.tooMany, quickReplies: ['Again'] })
  })

  it('is in the language of the widget from the faq, too', async () => {
    const { ask } = await start(await createFaqResponder({ paceMs: 0 }), { locale: '' })
    expect((await ask('Wer seid ihr?', { locale: 'de' })).text).toBe(german.unknown)
    expect((await ask('Qui êtes-vous ?', { locale: 'fr' })).text).toContain(french.unknown)
  })

  it('is not in the language of a repeated message, which need not repeat it', async () => {
    const { ask, post } = await start(createFailingResponder(), { locale: '' })
    const message = { id: randomUUID(), text: 'Hallo' }
    await ask('Hallo', { ...message, locale: 'de' })
    for (const again of [message, { ...message, locale: 'fr' }]) expect((await post(again)).status).toBe(200)
    expect((await ask('Und jetzt?')).text).toBe(german.apology)
  })

  it('is told to the responder, which can answer in it', async () => {
    const echo: Responder = {
      async *answer({ bot }) {
        yield { text: `In ${bot.locale || 'any language'}` }
      },
    }
    const { ask, post } = await start(echo, { locale: '' })
    expect((await ask('Hello')).text).toBe('In any language')
    expect((await ask('Hallo', { locale: 'de-at' })).text).toBe('In de-AT')
    const refused = await post({ id: randomUUID(), text: 'Hello', locale: 'no such language' })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/locale', code: 'invalid_format' }] })
  })
})
