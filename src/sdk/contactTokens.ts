import type { ContactToken, ContactTokenCreate } from '../contract/index.ts'
import type { Call } from './request.ts'

/** Tokens with which the widget holds a conversation as a contact (Spec 4.1). */
export interface ContactTokens {
  /**
   * Creates a token for the contact of that `id` or `email`, valid for a year; `not_found` where there is none. It may
   * go to the browser of that person and to nobody else's. Never tried again by itself.
   * @example
   * const { token, expiresAt } = await client.auth.contacts.createToken({ email: 'ada@example.com' })
   */
  createToken(contact: ContactTokenCreate): Promise<ContactToken>
  /** Ends a token: the widget is logged out at once. Fine for one that has ended already. */
  revokeToken(contactToken: string): Promise<void>
  /** Signs a contact out everywhere: ends all of its tokens. */
  revokeTokens(contactId: string): Promise<void>
}

export function createContactTokens(call: Call): ContactTokens {
  return {
    async createToken(contact) {
      const { data } = await call('createContactToken', { body: contact })
      return data
    },
    revokeToken(contactToken) {
      return call('revokeContactToken', { path: { contactToken } })
    },
    revokeTokens(contactId) {
      return call('revokeContactTokens', { path: { contactId } })
    },
  }
}
