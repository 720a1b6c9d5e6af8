import { describe, expect, it } from 'vitest'
import { type Conversation, createClient, type NatterClient } from './index.ts'
import { json, options, refuse, scriptedServer, withFastTimers } from './testing/testClients.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const message = { id: 'm', seq: 1, author: 'agent', text: 'Hello', format: 'plain', createdAt: at(0) }
const stored = json(201, { data: message })
const bodiesOf = (sent: { body: string }[]) => sent.map(({ body }) => JSON.parse(body))

describe('conversations', () => {
  it('are addressed by their id or by their contact', async () => {
    const { client, sent } = await scriptedServer(stored, stored, json(200, { data: [message] }))
    await client.conversations.messages.send('c/1', { text: 'Hello' })
    await client.conversations.messages.send({ contactId: '7' }, { text: 'Hello' })
    expect(await client.conversations.messages.list('c-1', { before: 5, limit: 2 })).toEqual([message])
    await client.conversations.messages.list({ contactId: '7' })
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/bots/bot-1/conversations/c%2F1/messages',
      'POST /v1/bots/bot-1/contacts/7/messages',
      'GET /v1/bots/bot-1/conversations/c-1/messages?before=5&limit=2',
      'GET /v1/bots/bot-1/contacts/7/messages',
    ])
  })

  it('get a message with a random id, which is the same in each attempt', async () => {
    const { client, sent } = await scriptedServer(refuse(503, 'unavailable'), stored, stored)
    expect(await withFastTimers(() => client.conversations.messages.send('c-1', { text: 'Hello' }))).toEqual(message)
    await client.conversations.messages.send('c-1', { text: 'Hello' })
    const [first, again, other] = bodiesOf(sent)
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), text: 'Hello' })
    expect(again).toEqual(first)
    expect(other.id).not.toBe(first.id)
    for (const { headers } of sent) expect(headers.has('idempotency-key')).toBe(false)
  })

  it('get a message with the given id, format and handBack', async () => {
    const { client, sent } = await scriptedServer(stored)
    const given = { id: crypto.randomUUID(), text: '**Hello**', format: 'markdown' as const, handBack: true }
    await client.conversations.messages.send('c-1', given)
    expect(bodiesOf(sent)).toEqual([given])
  })

  it('are handed back without a message', async () => {
    const { client, sent } = await scriptedServer(outgoing => outgoing.writeHead(204).end())
    expect(await client.conversations.handBack({ contactId: '7' })).toBeUndefined()
    expect(bodiesOf(sent)).toEqual([{ handBack: true }])
  })

  it('refuse a file above the largest limit before it is sent, because the refusal could look like a broken connection', async () => {
    const { client, sent } = await scriptedServer(json(201, { data: {} }))
    const upload = (content: Blob | Uint8Array<ArrayBuffer>) =>
      client.conversations.attachments.upload('c-1', { content })
    const tooLarge = new Uint8Array(10 * 1024 * 1024 + 1)
    for (const content of [tooLarge, new Blob([tooLarge])]) await expect(upload(content)).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })

  it('are listed page by page', async () => {
    const { client, sent } = await scriptedServer(json(200, { data: [], next: null }))
    expect(await client.conversations.list()).toEqual({ data: [], next: null })
    await client.conversations.list({ after: `${at(1)}_x`, limit: 5 })
    expect(sent.map(({ path }) => decodeURIComponent(path))).toEqual([
      '/v1/bots/bot-1/conversations',
      `/v1/bots/bot-1/conversations?after=${at(1)}_x&limit=5`,
    ])
  })
})

/** A client of conversations, the newest message first. Each page is read from the list as it is at that moment. */
function createList(count: number, beforeEachPage: (list: Conversation[], page: number) => void = () => {}) {
  const list: Conversation[] = Array.from({ length: count }, (_, index) => conversationOf(index, Math.floor(index / 3)))
  let pages = 0
  const fetch = ({ url }: Request) => {
    const { searchParams } = new URL(url)
    beforeEachPage(list, ++pages)
    const keyOf = ({ lastMessage, id }: Conversation) => `${lastMessage.createdAt}_${id}`
    const after = searchParams.get('after') ?? '~'
    const left = list.filter(one => keyOf(one) < after).sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
    const data = left.slice(0, Number(searchParams.get('limit')))
    const last = data.at(-1)
    return Response.json({ data, next: last && left.length > data.length ? keyOf(last) : null })
  }
  return { client: createClient({ ...options, fetch }), pages: () => pages }
}
const conversationOf = (number: number, minute: number): Conversation => ({
  id: String(number).padStart(4, '0'),
  contact: null,
  lastSeq: 1,
  readSeq: 0,
  unread: 1,
  lastMessage: { ...message, author: 'visitor', format: 'plain', createdAt: at(minute) },
  state: 'waiting',
  assignee: null,
  pausedUntil: null,
  waitingSince: null,
  createdAt: at(0),
})

describe('conversations.list with for await', () => {
  const idsOf = async ({ conversations }: NatterClient): Promise<string[]> => {
    const ids: string[] = []
    for await (const { id } of conversations.list()) ids.push(id)
    return ids
  }

  it.each([
    [0, 1],
    [100, 1],
    [101, 3],
    [350, 5],
  ])('yields each of %i conversations once, in %i requests', async (count, requests) => {
    const { client, pages } = createList(count)
    const ids = await idsOf(client)
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => String(count - 1 - index).padStart(4, '0')))
    expect(pages()).toBe(requests)
  })

  it('yields no conversation twice, and also those that get a message before they are reached', async () => {
    // The oldest ones move to the front, then one that has been yielded already, then many at once.
    const moves: Record<number, number[]> = {
      2: [0, 1],
      3: [299, 2],
      5: Array.from({ length: 130 }, (_, index) => index),
    }
    const { client } = createList(300, (list, page) => {
      for (const number of moves[page] ?? []) list[number] = conversationOf(number, 1000 + page)
    })
    const ids = await idsOf(client)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBe(300)
  })

  it('also yields one that gets a message in the same millisecond as the newest', async () => {
    const { client } = createList(300, (list, page) => {
      if (page === 2) list[0] = conversationOf(0, 99)
    })
    expect(await idsOf(client)).toContain('0000')
  })

  it('also yields one whose message was stored a little later than its time', async () => {
    const { client } = createList(300, (list, page) => {
      if (page !== 2) return
      const moved = conversationOf(0, 99)
      moved.lastMessage.createdAt = new Date(Date.parse(at(99)) - 4000).toISOString()
      list[0] = moved
    })
    expect(await idsOf(client)).toContain('0000')
  })

  it('also yields one that moves past the reader twice', async () => {
    const { client } = createList(300, (list, page) => {
      // It moves to the front behind the reader, then again while the front, now more than a page, is read again.
      if (page === 3) {
        list[0] = conversationOf(0, 1000)
        for (let number = 150; number < 300; number++) list[number] = conversationOf(number, 1001)
      }
      if (page === 5) list[0] = conversationOf(0, 2000)
    })
    expect(await idsOf(client)).toContain('0000')
  })

  it('ends although more than a page of conversations keep getting messages', async () => {
    const { client } = createList(300, (list, page) => {
      for (let number = 0; number < 300; number++)
        if ((number + page) % 2 === 0) list[number] = conversationOf(number, 1000 + page / 100)
    })
    expect((await idsOf(client)).length).toBe(300)
  })

  it('ends soon although some conversations keep getting messages', async () => {
    const { client, pages } = createList(300, (list, page) => {
      for (let number = 0; number < 40; number++) list[number] = conversationOf(number, 1000 + page)
    })
    expect((await idsOf(client)).length).toBe(300)
    expect(pages()).toBeLessThan(8)
  })
})
