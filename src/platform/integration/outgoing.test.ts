import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isSignedWebhook, type ResponderSettings } from '../../contract/index.ts'
import { createResponders, type RespondersOptions } from '../responders/responders.ts'
import { encryptSecrets } from '../secrets/botSecrets.ts'
import { createEncryptionKey, createSecretCipher } from '../secrets/secretCipher.ts'
import type { Bot } from '../store/store.ts'
import { startTestServer, webhookSecret } from '../testing/testServer.ts'
import { createManualClock, createTestTenants } from '../testing/testTenants.ts'
import { english } from '../texts/english.ts'

const encryptionKeys = createEncryptionKey()
const cipher = createSecretCipher(encryptionKeys)
const eventsSecret = `whsec_${Buffer.from('another secret of 24 byt').toString('base64')}`
const secrets = /whsec_|sk-|another secret/

describe('what the platform calls', () => {
  /** A platform with a visitor who asks, and an endpoint that all of its bots may call. */
  async function start(options: RespondersOptions = {}) {
    const { egress, encryptionKeys } = options
    const clock = createManualClock()
    const sockets = new Set<Socket>()
    const endpoint = await startTestServer((response, { path }) => {
      if (response.socket) sockets.add(response.socket)
      response.writeHead(path.endsWith('/chat/completions') ? 400 : 204).end()
    })
    const responder = await createResponders({ paceMs: 0, clock, ...options })
    onTestFinished(responder.close)
    const tenants = await createTestTenants({ clock, responder, egress, encryptionKeys })
    const { bot } = tenants.ours
    const token = await tenants.ours.visitorToken()
    return {
      ...{ tenants, clock, endpoint, responder },
      /** The connections of the platform and of the responder to the endpoint. */
      sockets,
      webhooks: {
        responder: { kind: 'webhook', url: `${endpoint.url}/turns`, secret: webhookSecret },
        events: { url: `${endpoint.url}/events`, secret: eventsSecret },
      } as const,
      log: () => tenants.lines.join(''),
      openai: (settings: object = {}): ResponderSettings => ({
        ...{ kind: 'openai', baseUrl: `${endpoint.url}/v1`, model: 'm', prompt: '', history: 1 },
        ...settings,
      }),
      store: (settings: Partial<Pick<Bot, 'responder' | 'events'>>) =>
        tenants.store.updateBot(bot.id, encryptSecrets(cipher, bot.id, settings)),
      storePlain: (settings: Partial<Pick<Bot, 'responder' | 'events'>>) => tenants.store.updateBot(bot.id, settings),
      stored: async () => JSON.stringify(await tenants.store.findBot(bot.id)),
      say: () => tenants.ours.send(token, 'Hello?'),
      /** Resolves when that many questions have been answered with an apology. */
      apologized: async (count = 1) => {
        const events = await tenants.ours.events(token, '?after=0')
        for (let seen = 0; seen < count; ) if ((await events.nextOf('message')).data['text'] === english.apology) seen++
        await events.cancel()
      },
    }
  }

  it('signs with secrets that are encrypted in the database', async () => {
    const { endpoint, webhooks, clock, store, stored, say, log } = await start({ encryptionKeys })
    await store(webhooks)
    await say()
    await endpoint.received(3)
    for (const { path, headers, body } of endpoint.requests) {
      const secret = path === '/turns' ? webhookSecret : eventsSecret
      expect(await isSignedWebhook(secret, headers, body, clock.now() / 1000)).toBe(true)
    }
    expect(await stored()).not.toMatch(secrets)
    expect(log()).not.toMatch(secrets)
  })

  it('closes its connections to webhooks when it is closed', async () => {
    const { tenants, endpoint, webhooks, responder, storePlain, say, sockets } = await start()
    await storePlain(webhooks)
    await say()
    await endpoint.received(3)
    await tenants.platform.close()
    await responder.close()
    await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true)
  })

  it('sends nothing unsigned without the key of a secret, and tells the operator', async () => {
    const { tenants, endpoint, webhooks, store, say, log, apologized } = await start()
    await store(webhooks)
    await say()
    await apologized()
    const sentence = `with the key \\"${cipher.keyId}\\", which is not in NATTER_ENCRYPTION_KEYS: add it`
    await expect.poll(() => tenants.lines.filter(line => line.includes(sentence))).toHaveLength(3)
    expect(endpoint.requests).toEqual([])
    expect(log()).not.toMatch(secrets)
  })

  it('sends the key of a bot to the base URL that it was given for, and nowhere else', async () => {
    const { endpoint, openai, store, storePlain, stored, say, log, apologized, tenants } = await start({
      encryptionKeys,
      openaiKey: 'sk-platform',
    })
    await store({ responder: openai({ apiKey: 'sk-bot' }) })
    await say()
    expect((await endpoint.received(1)).headers.get('authorization')).toBe('Bearer sk-bot')
    expect(await stored()).not.toContain('sk-bot')
    await apologized()
    // Somebody writes another base URL into the database, or the key into another row.
    const bot = await tenants.store.findBot(tenants.ours.bot.id)
    await storePlain({ responder: { ...bot?.responder, baseUrl: `${endpoint.url}/other` } as ResponderSettings })
    await say()
    await expect.poll(log).toContain('does not decrypt a secret in the database')
    expect(endpoint.requests).toHaveLength(1)
    expect(log()).not.toMatch(secrets)
  })

  it('does not send the key of the platform to the base URL that a bot names', async () => {
    const { endpoint, openai, storePlain, say } = await start({ openaiKey: 'sk-platform' })
    await storePlain({ responder: openai() })
    await say()
    expect((await endpoint.received(1)).headers.get('authorization')).toBeNull()
  })

  it('calls no private address of a bot where only public ones are allowed', async () => {
    const { endpoint, webhooks, openai, storePlain, say, apologized, log } = await start({ egress: 'public' })
    for (const [index, responder] of [openai(), webhooks.responder].entries()) {
      await storePlain({ ...webhooks, responder })
      await say()
      await apologized(index + 1)
    }
    expect(endpoint.requests).toEqual([])
    expect(log().match(/The address is not public/g)?.length).toBeGreaterThanOrEqual(3)
    expect(log()).not.toMatch(secrets)
  })
})
