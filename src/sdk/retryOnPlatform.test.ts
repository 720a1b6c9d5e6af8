import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isApiError } from './index.ts'
import { failure, startInMemory } from './testing/testClients.ts'

describe('the rate limit of the platform', () => {
  it('rejects with the time to wait', async () => {
    const { client, close } = await startInMemory({ rateLimit: 2 })
    onTestFinished(close)
    for (let count = 0; count < 2; count++) await client.contacts.search()
    const error = await failure(client.contacts.search())
    if (!isApiError(error)) throw error
    expect(error).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(error.retryAfterMs).toBeGreaterThan(10_000)
    expect(error.retryAfterMs).toBeLessThanOrEqual(60_000)
  })
})

describe('a response that is lost', () => {
  let platform: Awaited<ReturnType<typeof startInMemory>>
  beforeAll(async () => {
    platform = await startInMemory()
  })
  afterAll(() => platform.close())

  /** A client that loses the first response of the platform, and gets the second. */
  const clientThatLosesFirst = (beforeRetry: () => Promise<unknown> = async () => {}) => {
    const responses: Response[] = []
    const fetch = async (request: Request) => {
      responses.push(await platform.fetch(request))
      const [, second] = responses
      if (second) return second.clone()
      await beforeRetry()
      throw new TypeError('fetch failed')
    }
    return { client: platform.clientWith({ fetch }), responses }
  }

  it('of a create leaves one contact', async () => {
    const { client, responses } = clientThatLosesFirst()
    const { id } = await client.contacts.create({ name: 'Ada', email: 'ada@example.com' })
    expect(responses.map(({ status }) => status)).toEqual([201, 201])
    expect((await platform.client.contacts.search({ query: 'ada@' })).data.map(contact => contact.id)).toEqual([id])
  })

  it('of a token leaves one valid token', async () => {
    const { id } = await platform.client.contacts.create({ name: 'Grace', email: 'grace@example.com' })
    const { client, responses } = clientThatLosesFirst()
    const { token } = await client.contactTokens.create({ id })
    const [lost = ''] = await Promise.all(responses.map(async answer => (await answer.json()).data.token as string))
    const statusOf = async (bearer: string) => {
      const url = `http://platform.example/v1/bots/${platform.botId}/widget/session`
      return (await platform.fetch(new Request(url, { headers: { authorization: `Bearer ${bearer}` } }))).status
    }
    expect([await statusOf(lost), await statusOf(token)]).toEqual([401, 200])
  })

  it('of a token lets a later call with the same key create another one', async () => {
    const { id } = await platform.client.contacts.create({ name: 'Joan', email: 'joan@example.com' })
    const { client } = clientThatLosesFirst()
    const first = await client.contactTokens.create({ id }, { idempotencyKey: 'login-1' })
    const second = await platform.client.contactTokens.create({ id }, { idempotencyKey: 'login-1' })
    expect(second.token).not.toBe(first.token)
  })

  it('of a message leaves one message', async () => {
    const { id: contactId } = await platform.client.contacts.create({ name: 'Mary', email: 'mary@example.com' })
    const { client } = clientThatLosesFirst()
    const sent = await client.conversations.messages.send({ contactId }, { text: 'Hello' })
    expect(await platform.client.conversations.messages.list({ contactId })).toEqual([sent])
  })

  it('of a hand-back does not end the pause of an agent who writes before the retry', async () => {
    const { id: contactId } = await platform.client.contacts.create({ name: 'Jean', email: 'jean@example.com' })
    const { conversations } = platform.client
    const write = (text: string) => conversations.messages.send({ contactId }, { text })
    await write('Hello')
    const { client, responses } = clientThatLosesFirst(() => write('One more thing'))
    await client.conversations.handBack({ contactId })
    expect(responses.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    const [conversation] = (await conversations.list()).data.filter(({ contact }) => contact?.id === contactId)
    expect(conversation?.pausedUntil).not.toBeNull()
  })

  it('of signing out everywhere leaves a token that is created before the retry', async () => {
    const { id } = await platform.client.contacts.create({ name: 'Rosa', email: 'rosa@example.com' })
    const created: string[] = []
    const { client } = clientThatLosesFirst(async () =>
      created.push((await platform.client.contactTokens.create({ id })).token),
    )
    await client.contactTokens.revokeAll(id)
    const url = `http://platform.example/v1/bots/${platform.botId}/widget/session`
    const session = new Request(url, { headers: { authorization: `Bearer ${created[0]}` } })
    expect((await platform.fetch(session)).status).toBe(200)
  })

  it('of a delete leaves no contact, and causes no error', async () => {
    const { id } = await platform.client.contacts.create({ name: 'Ida', email: 'ida@example.com' })
    const { client, responses } = clientThatLosesFirst()
    await client.contacts.delete(id)
    expect(responses.map(({ status }) => status)).toEqual([204, 204])
  })

  it('of an upsert is repeated, and other entries with its key are refused', async () => {
    const { client, responses } = clientThatLosesFirst()
    const entries = [{ name: 'Bea', email: 'bea@example.com' }]
    const results = await client.contacts.upsert(entries, { idempotencyKey: 'import-1' })
    expect(responses[1]?.headers.get('idempotent-replayed')).toBe('true')
    expect(await platform.client.contacts.upsert(entries, { idempotencyKey: 'import-1' })).toEqual(results)
    const other = platform.client.contacts.upsert([{ email: 'bea@example.com' }], { idempotencyKey: 'import-1' })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 })
  })
})
