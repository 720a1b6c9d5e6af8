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
import type { Call } from './request.ts'
import { searchAll } from './searchAll.ts'
import { type UpsertOptions, upsert } from './upsert.ts'

/** A bot's contacts (Spec 4.2). Every method rejects with an `SdkError`, and with the signal's reason when aborted. */
export interface Contacts {
  /**
   * Creates a contact; `email_taken` where one with that email exists.
   * @example
   * const ada = await client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
   */
  create(contact: ContactCreate, options?: IdempotentOptions): Promise<Contact>
  /**
   * Creates or updates contacts by email; one result for each entry, in order.
   *
   * Beyond 1000 entries or 4 MiB it takes several requests, one after the other. Each of them writes all of its entries
   * or none, and the first that fails is the last: `written` of the error says how many entries stand. The same list
   * again is harmless.
   * @example
   * await client.contacts.upsert(customers, { onProgress: ({ done, total }) => console.log(`${done} of ${total}`) })
   */
  upsert(entries: readonly ContactUpsertEntry[], options?: UpsertOptions): Promise<UpsertResult[]>
  /** Finds contacts, newest first; without a `query` all of them. A page beyond the last one is the last. */
  search(search?: ContactSearch, options?: CallOptions): Promise<{ data: Contact[]; pagination: Pagination }>
  /**
   * Goes through every contact found, newest first, a hundred a request, each read when it is needed.
   *
   * No contact comes twice, and one that is there all the while comes. What is created or deleted meanwhile may come or
   * not, and so may what is changed into, or out of, what `query` finds. `timeoutMs` is for each request.
   * @example
   * for await (const contact of client.contacts.searchAll({ query: 'example.com' })) console.log(contact.email)
   */
  searchAll(search?: Pick<ContactSearch, 'query'>, options?: CallOptions): AsyncGenerator<Contact, void, undefined>
  /** Reads one contact; `not_found` where the bot has none of that id. */
  retrieve(contactId: string, options?: CallOptions): Promise<Contact>
  /** Changes the fields given; `""` clears phone, mid and wid; `email_taken` as in create. */
  update(contactId: string, changes: ContactUpdate, options?: CallOptions): Promise<void>
  /** Deletes a contact, signs it out everywhere and erases its conversation; `not_found` where there is none. */
  delete(contactId: string, options?: CallOptions): Promise<void>
}

export function createContacts(call: Call): Contacts {
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

// A search for `'ada'` would find everybody: a string has no `query`.
function checkObject<Search>(name: string, search: Search): Search {
  if (typeof search === 'object' && search !== null) return search
  throw new TypeError(`contacts.${name} takes an object, such as { query: 'ada@example.com' }`)
}
