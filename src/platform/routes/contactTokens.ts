import type { ContactTokens } from '../domain/contactTokens.ts'
import { contactOf } from './contacts.ts'
import type { Handlers } from './handlerContext.ts'

type Names = 'createContactToken' | 'revokeContactToken' | 'revokeContactTokens'

/** The contact-token endpoints (Spec 4.1), and signing out everywhere (ours). */
export const contactTokenRoutes = (contactTokens: ContactTokens): Handlers<Names> => ({
  createContactToken: async ({ scope, body, idempotently }) => ({
    data: await idempotently(key => contactTokens.create(scope, body, key)),
  }),
  revokeContactToken: ({ scope, parameters }) => contactTokens.revoke(scope, parameters['contactToken'] ?? ''),
  revokeContactTokens: ({ scope, parameters }) => contactTokens.revokeAll(contactOf(scope, parameters)),
})
