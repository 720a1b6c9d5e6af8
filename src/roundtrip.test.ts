import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Contact,
  type EndpointName,
  endpoints,
  type Message,
  pathOf,
  type Session,
  type VisitorSession,
} from './contract/index.ts'
import { createPlatform, createSqliteStore, prepareDevelopment, startServer } from './platform/index.ts'
import { createClient, isApiError, type NatterClient } from './sdk/index.ts'

/** What a case works with; `widget` calls one of the widget's endpoints as the bearer. */
interface Place {
  client: NatterClient
  /** A contact of its own for each case. */
  newContact(): Promise<Contact>
  widget(name: EndpointName, options?: { bearer?: string; body?: unknown; query?: string }): Promise<Response>
  close(): Promise<void>
}

const visitor = async ({ widget }: Place): Promise<string> => {
  const { data } = (await (await widget('createVisitorSession')).json()) as { data: VisitorSession }
  return data.token
}
const bodyOf = async <Data>(response: Response): Promise<Data> => ((await response.json()) as { data: Data }).data
const message = () => ({ id: crypto.randomUUID(), text: 'Do you ship to Norway?' })
const sessionStatus = async ({ widget }: Place, bearer: string) => (await widget('retrieveSession', { bearer })).status

/** One case for every endpoint of the table: the compiler asks for a new one as soon as a row is added. */
const cases: Record<EndpointName, (place: Place) => Promise<void>> = {
  async createContact({ client }) {
    const given = { name: 'Ada Lovelace', email: 'Ada@example.com', phone: '1', wid: '+4712345678', mid: 'm-1' }
    expect(await client.contacts.create(given)).toMatchObject(given)
    const error = await client.contacts.create(given).catch(error => error)
    expect(isApiError(error) && [error.status, error.code, error.conflict?.field]).toEqual([
      400,
      'email_taken',
      'email',
    ])
  },
  async upsertContacts({ client, newContact }) {
    const old = await newContact()
    const results = await client.contacts.upsert([
      { name: 'Fresh', email: `${crypto.randomUUID()}@example.com` },
      { email: old.email, phone: '22' },
    ])
    expect(results.map(({ index }) => index)).toEqual([0, 1])
    expect(results[1]?.id).toBe(old.id)
    expect((await client.contacts.retrieve(old.id)).phone).toBe('22')
  },
  async searchContacts({ client, newContact }) {
    const contact = await newContact()
    const { data, pagination } = await client.contacts.search({ query: contact.email, page: 1, limit: 5 })
    expect(data).toEqual([contact])
    expect(pagination).toMatchObject({ total: 1, page: 1, limit: 5, totalPages: 1, pages: [1] })
  },
  async retrieveContact({ client, newContact }) {
    const contact = await newContact()
    expect(await client.contacts.retrieve(contact.id)).toEqual(contact)
    await expect(client.contacts.retrieve(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' })
  },
  async updateContact({ client, newContact }) {
    const { id } = await newContact()
    await client.contacts.update(id, { name: 'Augusta King' })
    expect((await client.contacts.retrieve(id)).name).toBe('Augusta King')
  },
  async deleteContact({ client, newContact }) {
    const { id } = await newContact()
    await client.contacts.delete(id)
    await expect(client.contacts.delete(id)).rejects.toMatchObject({ status: 404 })
  },
  async createContactToken({ client, newContact }) {
    const { id, email } = await newContact()
    const { token, createdAt, expiresAt } = await client.auth.contacts.createToken({ id })
    expect(token).toMatch(/^c:[0-9a-f]{64}$/)
    expect(new Date(expiresAt).getUTCFullYear() - new Date(createdAt).getUTCFullYear()).toBe(1)
    expect((await client.auth.contacts.createToken({ email })).token).not.toBe(token)
  },
  async revokeContactToken(place) {
    const { client } = place
    const { id } = await place.newContact()
    const { token } = await client.auth.contacts.createToken({ id })
    expect(await sessionStatus(place, token)).toBe(200)
    await client.auth.contacts.revokeToken(token)
    expect(await sessionStatus(place, token)).toBe(401)
    await client.auth.contacts.revokeToken(token)
  },
  async revokeContactTokens(place) {
    const { client } = place
    const { id } = await place.newContact()
    const tokens = [await client.auth.contacts.createToken({ id }), await client.auth.contacts.createToken({ id })]
    await client.auth.contacts.revokeTokens(id)
    for (const { token } of tokens) expect(await sessionStatus(place, token)).toBe(401)
  },
  async retrieveBotFace({ widget }) {
    expect(await bodyOf(await widget('retrieveBotFace'))).toMatchObject({ name: 'Acme Outfitters' })
  },
  async createVisitorSession({ widget }) {
    const response = await widget('createVisitorSession')
    expect(response.status).toBe(201)
    expect((await bodyOf<VisitorSession>(response)).token).toMatch(/^v:[0-9a-f]{64}$/)
  },
  async retrieveSession({ client, newContact, widget }) {
    const { id, name } = await newContact()
    const { token } = await client.auth.contacts.createToken({ id })
    const session = await bodyOf<Session>(await widget('retrieveSession', { bearer: token }))
    expect(session).toEqual({ contact: { id, name }, conversation: { lastSeq: 0, readSeq: 0, unread: 0 } })
  },
  async endSession(place) {
    const bearer = await visitor(place)
    expect((await place.widget('endSession', { bearer })).status).toBe(204)
    expect(await sessionStatus(place, bearer)).toBe(401)
  },
  async listMessages(place) {
    const bearer = await visitor(place)
    const sent = message()
    await place.widget('sendMessage', { bearer, body: sent })
    const response = await place.widget('listMessages', { bearer, query: '?before=2&limit=1' })
    expect(await bodyOf<Message[]>(response)).toMatchObject([{ ...sent, seq: 1, author: 'visitor' }])
  },
  async sendMessage(place) {
    const bearer = await visitor(place)
    const body = message()
    const first = await place.widget('sendMessage', { bearer, body })
    const again = await place.widget('sendMessage', { bearer, body })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(await again.json()).toEqual(await first.json())
    expect((await place.widget('sendMessage', { bearer, body: { ...body, text: 'Other' } })).status).toBe(409)
  },
  async markRead(place) {
    const bearer = await visitor(place)
    await place.widget('sendMessage', { bearer, body: message() })
    expect((await place.widget('markRead', { bearer, body: { seq: 1 } })).status).toBe(204)
    const session = await bodyOf<Session>(await place.widget('retrieveSession', { bearer }))
    expect(session.conversation.readSeq).toBe(1)
  },
  async streamEvents(place) {
    const bearer = await visitor(place)
    const response = await place.widget('streamEvents', { bearer, query: '?after=0' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const sent = message()
    await place.widget('sendMessage', { bearer, body: sent })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes(sent.id)) text += (await reader?.read())?.value ?? ''
    expect(text).toMatch(/event: message\n/)
    await reader?.cancel()
  },
}

async function start(overPort: boolean): Promise<Place> {
  const store = await createSqliteStore({ file: ':memory:' })
  const { botId, organizationToken } = await prepareDevelopment(store)
  const platform = createPlatform({ store })
  const server = overPort ? await startServer(platform, { host: '127.0.0.1', port: 0 }) : null
  const baseUrl = server ? `http://127.0.0.1:${server.port}` : 'http://platform.example'
  const send = server ? fetch : (request: Request) => platform.fetch(request)
  const client = createClient({ baseUrl, botId, organizationToken, fetch: request => send(request) })
  return {
    client,
    newContact: () => client.contacts.create({ name: 'Grace Hopper', email: `${crypto.randomUUID()}@example.com` }),
    async widget(name, { bearer, body, query = '' } = {}) {
      const headers = new Headers(bearer ? { authorization: `Bearer ${bearer}` } : {})
      if (body) headers.set('content-type', 'application/json')
      const init = {
        method: endpoints[name].method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      return send(new Request(baseUrl + pathOf(name, { botId }) + query, init))
    },
    async close() {
      await server?.close()
      await platform.close()
      await store.close()
    },
  }
}

for (const overPort of [false, true]) {
  describe(`every endpoint answers ${overPort ? 'over a port' : 'in memory'}`, () => {
    let place: Place
    beforeAll(async () => {
      place = await start(overPort)
    })
    afterAll(() => place.close())

    it.each(Object.keys(endpoints) as EndpointName[])('%s', name => cases[name](place))
  })
}
