import type {
  Attributes,
  Contact,
  ContactCreate,
  ContactSearch,
  ContactUpdate,
  ContactUpsertEntry,
  Pagination,
  UpsertResult,
} from '../contract/index.ts'
import { type CallOptions, checkArguments, type IdempotentOptions } from './callOptions.ts'
import { PagePromise } from './pagePromise.ts'
import type { EndpointCaller } from './request.ts'
import { searchAll } from './searchAll.ts'
import { type UpsertOptions, upsert } from './upsert.ts'

/** A page of contacts, and where it is among all that were found. */
export interface ContactPage {
  data: Contact[]
  pagination: Pagination
}

/**
 * A bot's contacts (specification: "Contacts"). All methods reject with an `SdkError`, with the signal's reason when
 * aborted, or with a `TypeError` for a wrong argument.
 */
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
   * entries or none. After the first failure no further request is sent; `written` of the error is the number of entries
   * written before it. Repeating the whole list is safe.
   * @example
   * await client.contacts.upsert(customers, { onProgress: ({ done, total }) => console.log(`${done} of ${total}`) })
   */
  upsert(entries: readonly ContactUpsertEntry[], options?: UpsertOptions): Promise<UpsertResult[]>
  /**
   * Finds contacts, newest first: those with `query` in any field, the one with exactly this `email`, or all. Resolves
   * to a page of `limit` (1–100, default 10); a page beyond the end is empty. A query that finds more than
   * 10,000 has pages for the newest of them, and `totalIsExact: false`; a page beyond those rejects.
   *
   * Iterating gives all contacts found, however many, whatever `page` and `limit` are, in pages of 100 that are read
   * when they are needed. Each contact comes at most once, and every contact that exists during the whole iteration
   * comes. A contact that is created, deleted, or changed so that `query` matches or no longer matches, may or may not
   * come. `timeoutMs` applies to each request.
   * @example
   * const { data, pagination } = await client.contacts.search({ query: 'ada', limit: 20 })
   * @example
   * for await (const contact of client.contacts.search({ query: 'example.com' })) console.log(contact.email)
   */
  search(search?: ContactSearch, options?: CallOptions): PagePromise<ContactPage, Contact>
  /** Retrieves a contact. Rejects with `not_found` if the bot has none with this id. */
  retrieve(contactId: string, options?: CallOptions): Promise<Contact>
  /**
   * Retrieves the contact whose email is this one. Upper and lower case do not matter. Resolves to `null` if the bot has
   * none. Rejects with `invalid_request` if it is not an email.
   * @example
   * const ada = await client.contacts.retrieveByEmail('ada@example.com')
   */
  retrieveByEmail(email: string, options?: CallOptions): Promise<Contact | null>
  /** Changes the given fields; `""` clears phone, mid and wid. Rejects with `email_taken` like `create`. */
  update(contactId: string, changes: ContactUpdate, options?: IdempotentOptions): Promise<void>
  /** Retrieves what `setAttributes` has set; `{}` if nothing. Rejects with `not_found` like `retrieve`. */
  retrieveAttributes(contactId: string, options?: CallOptions): Promise<Attributes>
  /**
   * Replaces all attributes of a contact; `{}` removes them. They are stored with each later message of the contact as
   * `context.verified`, which only your agents and responders see. Limits: 20 keys of 40 characters; values are texts of
   * 500 characters, numbers or booleans; 2 KiB of JSON. Rejects with `not_found` like `retrieve`.
   * @example
   * await client.contacts.setAttributes(ada.id, { plan: 'pro', orders: 3 })
   */
  setAttributes(contactId: string, attributes: Attributes, options?: IdempotentOptions): Promise<void>
  /** Deletes a contact and its conversation, and signs it out everywhere. Rejects with `not_found` if there is none. */
  delete(contactId: string, options?: IdempotentOptions): Promise<void>
}

export function createContacts(call: EndpointCaller): Contacts {
  const readPage = async (search: ContactSearch, options: CallOptions | undefined): Promise<ContactPage> => {
    const { query, email, page, limit } = search
    return call('searchContacts', { ...options, query: { query, email, page, limit } })
  }
  return {
    async create(contact, options) {
      const { data } = await call('createContact', { ...options, body: contact })
      return data
    },
    upsert: (entries, options) => upsert(call, entries, options),
    search: (search = {}, options = {}) =>
      new PagePromise(
        async () => readPage(checkSearch(search), options),
        async function* () {
          const { query, email } = checkSearch(search)
          // At most one contact has this email.
          if (email !== undefined) yield* (await readPage({ query, email, limit: 1 }, options)).data
          else yield* searchAll(page => call('listContacts', { ...options, query: { query, ...page } }))
        },
      ),
    async retrieve(contactId, options) {
      const { data } = await call('retrieveContact', { ...options, path: { contactId } })
      return data
    },
    async retrieveByEmail(email, options) {
      const { data } = await readPage({ email, limit: 1 }, options)
      return data[0] ?? null
    },
    update(contactId, changes, options) {
      return call('updateContact', { ...options, path: { contactId }, body: changes })
    },
    async retrieveAttributes(contactId, options) {
      const { data } = await call('retrieveContactAttributes', { ...options, path: { contactId } })
      return data.attributes
    },
    setAttributes(contactId, attributes, options) {
      return call('setContactAttributes', { ...options, path: { contactId }, body: { attributes } })
    },
    delete(contactId, options) {
      return call('deleteContact', { ...options, path: { contactId } })
    },
  }
}

// Without this check `search('ada')` would find all contacts, since a string has no `query`.
const checkSearch = (search: ContactSearch): ContactSearch =>
  checkArguments('contacts.search', search, ['query', 'email', 'page', 'limit'])
