import type { Documented } from './documentation.ts'
import { contact, contactToken } from './samples.ts'

/** The contact-token endpoints (Spec 4.1), and signing out everywhere (ours). */
export const contactTokenDocumentation: Documented<
  'createContactToken' | 'revokeContactToken' | 'revokeContactTokens'
> = {
  createContactToken: {
    description: [
      'Name the contact by `id`, by `email`, or by both where they are the same contact’s. `POST` on the same path is the same operation.',
      'The token is valid for one year, or for the seconds that `expiresInSeconds` says (JSON only: a form that holds it is refused), and shown this once: only its hash is kept. Repeating the request with the same `Idempotency-Key` revokes the token of the first and issues another.',
    ].join('\n\n'),
    success: 'A new token.',
    requests: {
      email: { email: contact.email },
      id: { id: contact.id },
      aDay: { id: contact.id, expiresInSeconds: 86_400 },
    },
    response: {
      data: { token: contactToken, createdAt: '2030-01-15T12:00:00.000Z', expiresAt: '2031-01-15T12:00:00.000Z' },
    },
  },
  revokeContactToken: {
    description:
      'Signs the session of that token out: its next call is refused, its open widgets end within a second. A token that has been revoked, or was never issued for this bot, is answered the same way. `c:…` and `c%3A…` are the same.',
    success: 'The token is of no use any more.',
  },
  revokeContactTokens: {
    description: 'Revokes every token of the contact, on all devices.',
    success: 'The contact is signed out everywhere.',
  },
}
