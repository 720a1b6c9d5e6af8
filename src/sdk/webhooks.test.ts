import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { signWebhook, type TurnRequest, type WebhookEvent } from '../contract/index.ts'
import { startLocalServer } from '../testServer.ts'
import { isSdkError, isWebhookSignatureError, SdkError, type VerifyWebhookOptions, verifyWebhook } from './index.ts'
import { failure } from './testing/testClients.ts'

const secretOf = (byte: number) => `whsec_${btoa(String.fromCharCode(byte).repeat(32))}`
const secret = secretOf(1)
const at = '2026-01-01T00:00:00.000Z'
const message = {
  id: 'm',
  seq: 1,
  author: 'visitor' as const,
  text: 'Grüße\u{1f44b}',
  format: 'plain' as const,
  createdAt: at,
}
const envelope = { id: 'e-1', createdAt: at, botId: 'b-1' }
const conversation = { conversationId: 'c-1', contact: { id: '1', name: 'Ada' } }
const events: (WebhookEvent | TurnRequest)[] = [
  { ...envelope, type: 'conversation.created', data: { ...conversation, contact: null } },
  { ...envelope, type: 'message.created', data: { ...conversation, message } },
  { ...envelope, type: 'session.ended', data: { ...conversation, reason: 'logged_out' } },
  { ...envelope, type: 'turn.requested', data: { ...conversation, messages: [message] } },
]
const [, created] = events

const nowSeconds = () => Math.floor(Date.now() / 1000)
/** A webhook as the platform would have sent it some seconds ago. */
async function webhook(event: unknown = created, { ago = 0, by = secret as string | string[] } = {}) {
  const body = JSON.stringify(event)
  return { secret, body, headers: new Headers({ ...(await signWebhook(by, 'e-1', nowSeconds() - ago, body)) }) }
}
const refused = async (options: VerifyWebhookOptions) => isWebhookSignatureError(await failure(verifyWebhook(options)))

describe('verifyWebhook', () => {
  it.each(events.map(event => [event.type, event] as const))('resolves to %s', async (_, event) => {
    expect(await verifyWebhook(await webhook(event))).toEqual(event)
  })

  it('narrows the data by the type of the event', async () => {
    const event = await verifyWebhook(await webhook())
    if (event.type !== 'message.created') throw new Error('another kind')
    expect(event.data.message.text).toBe(message.text)
  })

  it('ignores properties that it does not know', async () => {
    expect(await verifyWebhook(await webhook({ ...created, more: 1 }))).toEqual(created)
  })

  it("takes the bytes of the body and Node's headers, as they come over a port", async () => {
    const { body, headers } = await webhook()
    const server = await startLocalServer(async (incoming, outgoing) => {
      const verified = await verifyWebhook({ secret, headers: incoming.headers, body: await buffer(incoming) })
      outgoing.end(JSON.stringify(verified))
    })
    const answer = await fetch(server.url, { method: 'POST', body, headers })
    expect(await answer.json()).toEqual(created)
    await server.close()
  })

  it.each<[string, (body: string) => VerifyWebhookOptions['body']]>([
    ['an ArrayBuffer', body => new TextEncoder().encode(body).buffer],
    ['a part of a larger one', body => new TextEncoder().encode(`xx${body}yy`).subarray(2, -2)],
  ])('accepts %s as the body', async (_, bytesOf) => {
    const { body, headers } = await webhook()
    expect(await verifyWebhook({ secret, headers, body: bytesOf(body) })).toEqual(created)
  })

  it('accepts names of headers in any case', async () => {
    const { body, headers } = await webhook()
    const upper = Object.fromEntries([...headers].map(([name, value]) => [name.toUpperCase(), value]))
    expect(await verifyWebhook({ secret, body, headers: upper })).toEqual(created)
    expect(await verifyWebhook({ secret, body, headers: Object.fromEntries(headers) })).toEqual(created)
  })

  it('accepts either secret while the secret is being changed', async () => {
    const both = [secretOf(2), secret]
    const signed = await webhook(created, { by: both })
    for (const known of both) expect(await verifyWebhook({ ...signed, secret: known })).toEqual(created)
  })

  it('refuses a signature of another secret', async () => {
    expect(await refused(await webhook(created, { by: secretOf(3) }))).toBe(true)
  })

  it('refuses a body that has been changed by a single character', async () => {
    const { body, headers } = await webhook()
    expect(await refused({ secret, headers, body: body.replace('Ada', 'Ida') })).toBe(true)
    expect(await refused({ secret, headers, body: `${body} ` })).toBe(true)
    expect(await refused({ secret, headers, body: `\ufeff${body}` })).toBe(true)
    expect(await refused({ secret, headers, body: new TextEncoder().encode(`\ufeff${body}`) })).toBe(true)
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a %s that is missing or changed',
    async name => {
      const { body, headers } = await webhook()
      headers.set(
        name,
        (headers.get(name) ?? '').replace(/.$/, last => (last === '7' ? '8' : '7')),
      )
      expect(await refused({ secret, headers, body })).toBe(true)
      headers.delete(name)
      expect(await refused({ secret, headers, body })).toBe(true)
    },
  )

  it.each([301, -302])('refuses a signature from %i s ago, which may be a replay', async ago => {
    expect(await refused(await webhook(created, { ago }))).toBe(true)
  })

  it('accepts another tolerance', async () => {
    expect(await verifyWebhook({ ...(await webhook(created, { ago: 3500 })), toleranceSeconds: 3600 })).toEqual(created)
    expect(await refused({ ...(await webhook(created, { ago: 100 })), toleranceSeconds: 60 })).toBe(true)
  })

  it.each([
    ['type', 'contact.renamed', { name: 'Ida' }],
    ['reason', 'session.ended', { ...conversation, reason: 'moved' }],
  ])('returns an event of a %s that only a later platform sends, as unknown', async (_, type, data) => {
    expect(await verifyWebhook(await webhook({ ...envelope, type, data }))).toEqual({
      ...envelope,
      type: 'unknown',
      unknownType: type,
      data,
    })
  })

  it.each([{ ...created, id: 7 }, { type: 'message.created' }, { type: 'contact.renamed' }, [], null])(
    'rejects %j, which is not an event, but does not call its signature wrong',
    async event => {
      const error = await failure(verifyWebhook(await webhook(event)))
      expect(isWebhookSignatureError(error)).toBe(false)
      expect(isSdkError(error) && error instanceof SdkError).toBe(true)
      expect(String(error)).toContain('is not an event')
    },
  )

  it('names a wrong argument, and does not call the signature wrong', async () => {
    const good = await webhook()
    const body = JSON.parse(good.body) as string
    await expect(verifyWebhook({ ...good, body })).rejects.toThrow(/express\.raw/)
    await expect(verifyWebhook({ ...good, secret: undefined })).rejects.toThrow(
      /secret is missing; .*NATTER_RESPONDER_SECRET.*natter bot secret BOT_ID --rotate webhook/,
    )
    await expect(verifyWebhook({ ...good, secret: 'hunter2' })).rejects.toThrow(/^(?!.*hunter2).*whsec_/)
    await expect(verifyWebhook({ ...good, toleranceSeconds: Number.NaN })).rejects.toThrow('toleranceSeconds')
  })
})
