import { type Endpoint, type EndpointName, endpoints } from '../../contract/index.ts'
import type { Platform } from '../platform.ts'

/** An endpoint with its row of the endpoint table. */
export type NamedEndpoint = [EndpointName, Endpoint]

/** The endpoints that accept such a credential. */
export const endpointsOf = (auth: Endpoint['auth']): NamedEndpoint[] =>
  (Object.entries(endpoints) as NamedEndpoint[]).filter(([, row]) => row.auth === auth)

const unknownId = '33333333-3333-4333-8333-333333333333'

/** The ids that a path may contain. Those of the others are unknown. */
export interface PathIds {
  botId: string
  contactId?: string
  conversationId?: string
  attachmentId?: string
  contactToken?: string
  messageId?: string
}

/** A request that is valid except for the given ids and Authorization. Without `authorization` it has no such header. */
export function requestTo(
  platform: Platform,
  [, row]: NamedEndpoint,
  ids: PathIds,
  authorization?: string,
): Promise<Response> {
  const path = row.path.replace(/\{(\w+)\}/g, (_, key: keyof PathIds) => encodeURIComponent(ids[key] ?? unknownId))
  const [body] = row.upload ? ['A file'] : Object.values(row.body?.examples ?? {})
  return platform.fetch(
    new Request(`http://natter.test${path}`, {
      method: row.method,
      headers: { ...(authorization !== undefined && { authorization }), 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  )
}
