import type { ContactToken, ContactTokenCreate } from '../contract/index.ts'
import type { CallOptions, IdempotentOptions } from './callOptions.ts'
import type { EndpointCaller } from './request.ts'

/** Tokens that identify a visitor of the widget as a contact (specification: "Contact tokens"). */
export interface ContactTokens {
  /**
   * Creates a token for the contact with this `id` or `email`, valid for one year, or for `expiresInSeconds` (300 to
   * 31 536 000). Give the token only to that person's browser. A repeated call with the same `idempotencyKey` revokes the
   * first token and creates another one. Rejects with `not_found` if there is no such contact, and with
   * `contact_mismatch` if `id` and `email` belong to different contacts.
   * @example
   * const { token, expiresAt } = await client.contactTokens.create({ email: 'ada@example.com', expiresInSeconds: 86_400 })
   */
  create(contact: ContactTokenCreate, options?: IdempotentOptions): Promise<ContactToken>
  /** Revokes a token, which logs the widget out at once. Also resolves if the token has already ended. */
  revoke(contactToken: string, options?: CallOptions): Promise<void>
  /**
   * Revokes all tokens of a contact, which signs it out everywhere. A repeated call with the same `idempotencyKey` leaves
   * tokens that were created since.
   */
  revokeAll(contactId: string, options?: IdempotentOptions): Promise<void>
}

export function createContactTokens(call: EndpointCaller): ContactTokens {
  return {
    async create(contact, options) {
      const { data } = await call('createContactToken', { ...options, body: contact })
      return data
    },
    revoke(contactToken, options) {
      return call('revokeContactToken', { ...options, path: { contactToken } })
    },
    revokeAll(contactId, options) {
      return call('revokeContactTokens', { ...options, path: { contactId } })
    },
  }
}
