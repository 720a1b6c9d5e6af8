import type { Context } from 'hono'
import type { Contacts } from '../domain/contacts.ts'
import { idempotently } from '../http/idempotency.ts'
import type { ContactScope } from '../store/store.ts'
import type { Handlers } from './handler.ts'

/** The contact endpoints. */
export const contactHandlers = (contacts: Contacts) =>
  ({
    createContact: async c => ({
      data: await idempotently(c, key => contacts.create(c.get('scope'), c.get('body'), key)),
    }),
    upsertContacts: async c => ({
      data: await idempotently(c, key => contacts.upsert(c.get('scope'), c.get('body').data, key)),
    }),
    searchContacts: c => contacts.search(c.get('scope'), c.get('query')),
    listContacts: c => contacts.list(c.get('scope'), c.get('query')),
    retrieveContact: async c => ({ data: await contacts.retrieve(contactScope(c)) }),
    updateContact: c => idempotently(c, key => contacts.update(contactScope(c), c.get('body'), key)),
    retrieveContactAttributes: async c => ({ data: { attributes: await contacts.attributes(contactScope(c)) } }),
    setContactAttributes: c =>
      idempotently(c, key => contacts.setAttributes(contactScope(c), c.get('body').attributes, key)),
    deleteContact: c => idempotently(c, key => contacts.delete(contactScope(c), key)),
  }) satisfies Partial<Handlers>

/** The contact of a path. */
export const contactScope = (c: Context): ContactScope => ({
  ...c.get('scope'),
  contactId: c.req.param('contactId') ?? '',
})
