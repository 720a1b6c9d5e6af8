import { createPlatform, createSqliteStore, prepareDevelopment } from '../platform/index.ts'
import { type ClientOptions, createClient, type NatterClient } from './client.ts'

/** A token of the right form that no platform has issued. */
export const unknownToken = `o_${'x'.repeat(43)}`

/** Where nothing real listens. */
export const options = { baseUrl: 'https://chat.example', organizationToken: unknownToken, botId: 'bot-1' }

/** A client on a real platform in memory. */
export async function startInMemory(): Promise<{
  client: NatterClient
  clientWith(options: Partial<ClientOptions>): NatterClient
  organizationToken: string
  close(): Promise<void>
}> {
  const store = await createSqliteStore({ file: ':memory:' })
  const { botId, organizationToken } = await prepareDevelopment(store)
  const platform = createPlatform({ store })
  const clientWith = (more: Partial<ClientOptions>) =>
    createClient({ baseUrl: 'http://platform.example', botId, organizationToken, fetch: platform.fetch, ...more })
  return {
    client: clientWith({}),
    clientWith,
    organizationToken,
    async close() {
      await platform.close()
      await store.close()
    },
  }
}
