import { type ContactFields, createContactGenerator } from './contactGenerator.ts'
import type { Server } from './processes.ts'

/** A raw HTTP request that opens an event stream. */
export const streamRequest = (bearer: string, botId: string): string =>
  `GET /v1/bots/${botId}/widget/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bearer}\r\n\r\n`

/** API calls that an organization's server and its visitors make. */
export function createApi({ port }: Server, botId: string, organizationToken: string) {
  const call = async (method: string, path: string, token: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/bots/${botId}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as { data: unknown }).data
  }
  const upsert = async (data: ContactFields[]): Promise<string[]> => {
    const entries = (await call('PATCH', '/contacts', organizationToken, { data })) as { id: string }[]
    return entries.map(({ id }) => id)
  }
  return {
    upsert,
    async issueTokens(total: number, nextContact = createContactGenerator()): Promise<string[]> {
      const tokens: string[] = []
      for (let left = total; left > 0; left -= 1000) {
        const ids = await upsert(Array.from({ length: Math.min(1000, left) }, nextContact))
        const pending = ids.values()
        const worker = async (): Promise<void> => {
          for (const id of pending) {
            const issued = await call('PUT', '/auth/contacts', organizationToken, { id })
            tokens.push((issued as { token: string }).token)
          }
        }
        await Promise.all(Array.from({ length: 32 }, worker))
      }
      return tokens
    },
    async send(bearer: string, text = 'Where is my order?'): Promise<void> {
      await call('POST', '/widget/messages', bearer, { id: crypto.randomUUID(), text })
    },
    async revoke(bearer: string): Promise<void> {
      await call('DELETE', `/auth/contacts/${bearer}`, organizationToken)
    },
  }
}
