import type {
  Contact,
  ContactCreate,
  ContactSearch,
  ContactUpdate,
  ContactUpsertEntry,
  Pagination,
  UpsertResult,
} from '../contract/index.ts'
import type { Call } from './request.ts'

/** A bot's contacts (Spec 4.2). Every method rejects with an `SdkError`. */
export interface Contacts {
  /** Creates a contact; `email_taken` where one with that email exists. Never tried again by itself. */
  create(contact: ContactCreate): Promise<Contact>
  /** Creates or updates up to 1000 contacts by email, all or none; one result for each entry, in order. */
  upsert(entries: ContactUpsertEntry[]): Promise<UpsertResult[]>
  /** Finds contacts, newest first; without a `query` all of them. A page beyond the last one is the last. */
  search(search?: ContactSearch): Promise<{ data: Contact[]; pagination: Pagination }>
  /** Reads one contact; `not_found` where the bot has none of that id. */
  retrieve(contactId: string): Promise<Contact>
  /** Changes the fields given; `""` clears phone, mid and wid; `email_taken` as in create. */
  update(contactId: string, changes: ContactUpdate): Promise<void>
  /** Deletes a contact, signs it out everywhere and erases its conversation. */
  delete(contactId: string): Promise<void>
}

export function createContacts(call: Call): Contacts {
  return {
    async create(contact) {
      const { data } = await call('createContact', { body: contact })
      return data
    },
    async upsert(entries) {
      const { data } = await call('upsertContacts', { body: { data: entries } })
      return data
    },
    search({ query, page, limit } = {}) {
      return call('searchContacts', { query: { query, page, limit } })
    },
    async retrieve(contactId) {
      const { data } = await call('retrieveContact', { path: { contactId } })
      return data
    },
    update(contactId, changes) {
      return call('updateContact', { path: { contactId }, body: changes })
    },
    delete(contactId) {
      return call('deleteContact', { path: { contactId } })
    },
  }
}
