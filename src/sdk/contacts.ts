import type {
  Contact,
  ContactCreate,
  ContactSearch,
  ContactUpdate,
  ContactUpsertEntry,
  Pagination,
  UpsertResult,
} from '../contract/index.ts'
import type { CallOptions, IdempotentOptions } from './callOptions.ts'
import type { EndpointCaller } from './request.ts'
import { searchAll } from './searchAll.ts'
import { type UpsertOptions, upsert } from './upsert.ts'

/** A bot's contacts (Spec 4.2). All methods reject with an `SdkError`, or with the signal's reason when aborted. */
export interface Contacts {
  /**
   * Creates a contact. Rejects with `email_taken` if a contact with this email exists.
   * @example
   * const ada = await client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
   */
  create(contact: ContactCreate, options?: IdempotentOptions): Promise<Contact>
  /**
   * Creates or updates contacts by email. Resolves to one result per entry, in order.
   *
   * Lists of more than 1000 entries or 4 MiB take several requests, one after the other. Each request writes all of its
   * entries or none. The first that fails is the last; `written` of the error is the number of entries written before
   * it. Repeating the whole list is safe.
   * @example
   * await client.contacts.upsert(customers, { onProgress: ({ done, total }) => console.log(`${done} of ${total}`) })
   */
  upsert(entries: readonly ContactUpsertEntry[], options?: UpsertOptions): Promise<UpsertResult[]>
  /** Finds contacts, newest first; all of them without a `query`. A page beyond the end returns the last page. */
  search(search?: ContactSearch, options?: CallOptions): Promise<{ data: Contact[]; pagination: Pagination }>
  /**
   * Iterates over all contacts found, newest first. Reads pages of 100 when they are needed.
   *
   * Each contact comes at most once, and every contact that exists during the whole iteration comes. A contact that is
   * created, deleted, or changed so that `query` matches or no longer matches, may or may not come. `timeoutMs` applies
   * to each request.
   * @example
   * for await (const contact of client.contacts.searchAll({ query: 'example.com' })) console.log(contact.email)
   */
  searchAll(search?: Pick<ContactSearch, 'query'>, options?: CallOptions): AsyncGenerator<Contact, void, undefined>
  /** Retrieves a contact. Rejects with `not_found` if the bot has none with this id. */
  retrieve(contactId: string, options?: CallOptions): Promise<Contact>
  /** Changes the given fields; `""` clears phone, mid and wid. Rejects with `email_taken` like `create`. */
  update(contactId: string, changes: ContactUpdate, options?: IdempotentOptions): Promise<void>
  /** Deletes a contact and its conversation, and signs it out everywhere. Rejects with `not_found` if there is none. */
  delete(contactId: string, options?: CallOptions): Promise<void>
}

export function createContacts(call: EndpointCaller): Contacts {
  const search: Contacts['search'] = async (search = {}, options) => {
    const { query, page, limit } = checkObject('search', search)
    return call('searchContacts', { ...options, query: { query, page, limit } })
  }
  return {
    async create(contact, options) {
      const { data } = await call('createContact', { ...options, body: contact })
      return data
    },
    upsert: (entries, options) => upsert(call, entries, options),
    search,
    searchAll(all = {}, options = {}) {
      const { query = '' } = checkObject('searchAll', all)
      return searchAll(page => search({ query, ...page }, options))
    },
    async retrieve(contactId, options) {
      const { data } = await call('retrieveContact', { ...options, path: { contactId } })
      return data
    },
    update(contactId, changes, options) {
      return call('updateContact', { ...options, path: { contactId }, body: changes })
    },
    delete(contactId, options) {
      return call('deleteContact', { ...options, path: { contactId } })
    },
  }
}

// Without this check `search('ada')` would find all contacts, since a string has no `query`.
function checkObject<Search>(name: string, search: Search): Search {
  if (typeof search === 'object' && search !== null) return search
  throw new TypeError(`contacts.${name} takes an object, such as { query: 'ada@example.com' }`)
}
