import { type Contact, type EndpointName, endpoints, pathOf } from '../../contract/index.ts'
import { startServer } from '../../platform/index.ts'
import { createDevelopmentPlatform } from '../../platform/testing/developmentPlatform.ts'
import { createClient, type NatterClient } from '../../sdk/index.ts'

/** A platform with clients for it. */
export interface TestPlatform {
  client: NatterClient
  /** Creates a contact with an email that no other has. */
  newContact(): Promise<Contact>
  /** Sets whether the bot's visitors may ask for a person. */
  setHandover(handover: boolean): Promise<unknown>
  /** Calls an endpoint with `bearer` as the token. */
  call(name: EndpointName, options?: CallOptions): Promise<Response>
  close(): Promise<void>
}

interface CallOptions {
  path?: Record<string, string>
  file?: Uint8Array<ArrayBuffer>
  bearer?: string
  body?: unknown
  query?: string
}

/** A platform with an SDK client, over a port or in memory. */
export async function startTestPlatform(overPort: boolean): Promise<TestPlatform> {
  const { store, platform, botId, organizationToken, ...started } = await createDevelopmentPlatform()
  await store.updateBot(botId, { ratings: true, attachments: true, eraseByVisitor: true })
  const server = overPort ? await startServer(platform, { host: '127.0.0.1', port: 0 }) : null
  const baseUrl = server ? `http://127.0.0.1:${server.port}` : 'http://platform.example'
  const send = server ? fetch : (request: Request) => platform.fetch(request)
  const client = createClient({ baseUrl, botId, organizationToken, fetch: request => send(request) })
  return {
    client,
    newContact: () => client.contacts.create({ name: 'Grace Hopper', email: `${crypto.randomUUID()}@example.com` }),
    setHandover: handover => store.updateBot(botId, { handover }),
    async call(name, { bearer, body, file, path = {}, query = '' } = {}) {
      const headers = new Headers(bearer ? { authorization: `Bearer ${bearer}` } : {})
      if (body) headers.set('content-type', 'application/json')
      const init = {
        method: endpoints[name].method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
      }
      return send(new Request(baseUrl + pathOf(name, { botId, ...path }) + query, init))
    },
    async close() {
      await server?.close()
      await started.close()
    },
  }
}
