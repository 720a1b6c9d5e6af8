import type { ContactToken, ContactTokenCreate } from '../contract/index.ts'
import type { CallOptions, IdempotentOptions } from './callOptions.ts'
import type { Call } from './request.ts'

/** Tokens with which the widget holds a conversation as a contact (Spec 4.1). */
export interface ContactTokens {
  /**
   * Creates a token for the contact of that `id` or `email`, valid for a year; `not_found` where there is none. It may
   * go to the browser of that person and to nobody else's. With the same `idempotencyKey` again it gives another token
   * and ends the first.
   * @example
   * const { token, expiresAt } = await client.contactTokens.create({ email: 'ada@example.com' })
   */
  create(contact: ContactTokenCreate, options?: IdempotentOptions): Promise<ContactToken>
  /** Ends a token: the widget is logged out at once. Fine for one that has ended already. */
  revoke(contactToken: string, options?: CallOptions): Promise<void>
  /** Signs a contact out everywhere: ends all of its tokens. */
  revokeAll(contactId: string, options?: CallOptions): Promise<void>
}

export function createContactTokens(call: Call): ContactTokens {
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
