import type { ContactTokens } from '../domain/contactTokens.ts'
import { idempotently } from '../http/idempotency.ts'
import { contactScope } from './contacts.ts'
import type { Handlers } from './handler.ts'

/** The endpoints that create and revoke contact tokens; one of them signs a contact out everywhere. */
export const contactTokenHandlers = (contactTokens: ContactTokens) =>
  ({
    createContactToken: async c => ({
      data: await idempotently(c, key => contactTokens.create(c.get('scope'), c.get('body'), key)),
    }),
    revokeContactToken: c => contactTokens.revoke(c.get('scope'), c.req.param('contactToken') ?? ''),
    revokeContactTokens: c => idempotently(c, key => contactTokens.revokeAll(contactScope(c), key)),
  }) satisfies Partial<Handlers>
