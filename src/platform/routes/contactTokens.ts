import type { ContactTokens } from '../domain/contactTokens.ts'
import type { Handlers } from './call.ts'
import { contactOf } from './contacts.ts'

type Names = 'createContactToken' | 'revokeContactToken' | 'revokeContactTokens'

/** The contact-token endpoints (Spec 4.1), and signing out everywhere (ours). */
export const contactTokenRoutes = (contactTokens: ContactTokens): Handlers<Names> => ({
  createContactToken: async ({ scope, body, once }) => ({
    data: await once(key => contactTokens.create(scope, body, key)),
  }),
  revokeContactToken: ({ scope, parameters }) => contactTokens.revoke(scope, parameters['contactToken'] ?? ''),
  revokeContactTokens: ({ scope, parameters }) => contactTokens.revokeAll(contactOf(scope, parameters)),
})
