import type { Contacts } from '../domain/contacts.ts'
import type { Handlers } from './handlerContext.ts'

type Names =
  | 'createContact'
  | 'upsertContacts'
  | 'searchContacts'
  | 'retrieveContact'
  | 'updateContact'
  | 'deleteContact'

/** The contact endpoints (Spec 4.2). */
export const contactRoutes = (contacts: Contacts): Handlers<Names> => ({
  createContact: async ({ scope, body, idempotently }) => ({
    data: await idempotently(key => contacts.create(scope, body, key)),
  }),
  upsertContacts: async ({ scope, body, idempotently }) => ({
    data: await idempotently(key => contacts.upsert(scope, body.data, key)),
  }),
  searchContacts: ({ scope, query }) => contacts.search(scope, query),
  retrieveContact: async ({ scope, parameters }) => ({ data: await contacts.retrieve(contactOf(scope, parameters)) }),
  updateContact: ({ scope, parameters, body, idempotently }) =>
    idempotently(key => contacts.update(contactOf(scope, parameters), body, key)),
  deleteContact: ({ scope, parameters }) => contacts.delete(contactOf(scope, parameters)),
})

/** The contact of a path. */
export const contactOf = <Scope extends object>(
  scope: Scope,
  { contactId = '' }: Record<string, string>,
): Scope & { contactId: string } => ({ ...scope, contactId })
