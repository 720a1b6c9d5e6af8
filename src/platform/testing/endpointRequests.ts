import { type Endpoint, type EndpointName, endpoints } from '../../contract/index.ts'
import type { Platform } from '../platform.ts'

/** An endpoint with its row of the endpoint table. */
export type NamedEndpoint = [EndpointName, Endpoint]

/** The endpoints that accept such a credential. */
export const endpointsOf = (auth: Endpoint['auth']): NamedEndpoint[] =>
  (Object.entries(endpoints) as NamedEndpoint[]).filter(([, row]) => row.auth === auth)

/** The ids that a path may contain. */
export interface PathIds {
  botId: string
  contactId?: string
  conversationId?: string
  attachmentId?: string
  contactToken?: string
  messageId?: string
}

const attachmentId = '33333333-3333-4333-8333-333333333333'
const nonce = 'a-nonce-of-22-letters_'

/** A valid body for the endpoint. */
const bodies: Partial<Record<EndpointName, unknown>> = {
  createContactToken: { email: 'nobody@example.com' },
  createContact: { name: 'Ada', email: 'fresh@example.com' },
  upsertContacts: { data: [{ name: 'Ada', email: 'fresh@example.com' }] },
  updateContact: { name: 'Ada' },
  setContactAttributes: { attributes: { plan: 'pro' } },
  sendConversationMessage: { id: '22222222-2222-4222-8222-222222222222', text: 'Hello' },
  sendContactMessage: { id: '22222222-2222-4222-8222-222222222222', text: 'Hello' },
  showConversationTyping: { as: { name: 'Nora' } },
  showContactTyping: { as: { name: 'Nora' } },
  sendMessage: { id: '11111111-1111-4111-8111-111111111111', text: 'Hello' },
  markRead: { seq: 0 },
  stopReply: { id: '11111111-1111-4111-8111-111111111111' },
  rateMessage: { id: '11111111-1111-4111-8111-111111111111', rating: 'up' },
  retrieveSessionWithNonce: { nonce },
  downloadAttachmentWithNonce: { nonce },
  listMessagesWithNonce: { nonce },
  streamEventsWithNonce: { nonce },
}

/**
 * A request that is valid except for the given ids and Authorization. Without `authorization` it has no such header.
 */
export function requestTo(
  platform: Platform,
  [name, row]: NamedEndpoint,
  ids: PathIds,
  authorization?: string,
): Promise<Response> {
  const path = row.path.replace(/\{(\w+)\}/g, (_, key: keyof PathIds) =>
    encodeURIComponent({ attachmentId, ...ids }[key] ?? ''),
  )
  const body = row.upload ? 'A file' : bodies[name]
  return platform.fetch(
    new Request(`http://natter.test${path}`, {
      method: row.method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  )
}
