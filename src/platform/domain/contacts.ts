import {
  type Attributes,
  type BodyOf,
  type Contact,
  type ContactListPage,
  type Pagination,
  paginate,
  type QueryOf,
  type UpsertResult,
} from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import { mapInSlices } from '../mapInSlices.ts'
import { normalizeQuery } from '../search/searchNormalization.ts'
import type {
  BotScope,
  ContactErasure,
  ContactPosition,
  ContactScope,
  ContactStore,
  EmailTaken,
  IdempotentRequest,
  IdempotentResult,
  KeyRefused,
  NotFound,
  UpsertProblem,
} from '../store/store.ts'
import { announce } from './announce.ts'
import { createCursor, readCursor } from './cursor.ts'
import { emailKey, requireEmailKey } from './emailKey.ts'
import { type IdempotencyKey, idempotentRequest, requireAccepted } from './idempotency.ts'
import { createId, isId } from './ids.ts'
import { fieldProblem, maxErrors, notFound, type ProblemError, problem } from './problem.ts'
import { publishSessionEnds } from './sessions.ts'
import { isTimestamp, timestamp } from './time.ts'

/** The rules of contacts. */
export type Contacts = ReturnType<typeof createContacts>

export function createContacts({ store, bus, clock }: { store: ContactStore; bus: Bus; clock: Clock }) {
  const find = async (scope: ContactScope): Promise<Contact> => {
    const contact = isId(scope.contactId) ? await store.findContact(scope) : null
    if (!contact) throw notFound()
    return contact
  }
  const findByEmail = async (scope: BotScope, email: string, query: string): Promise<Contact[]> => {
    if (query !== '') throw fieldProblem('/email', 'invalid_format', 'Send `email` or `query`, not both.')
    const contact = await store.findContactByEmail(scope, requireEmailKey(email))
    return contact ? [contact] : []
  }
  return {
    /** A request with the `key` of an earlier one resolves to that request's result. */
    async create(scope: BotScope, fields: BodyOf<'createContact'>, key?: IdempotencyKey) {
      const now = clock.now()
      const dates = { createdAt: timestamp(now), updatedAt: timestamp(now) }
      const contact = { id: createId(now), ...fields, ...dates, emailKey: requireEmailKey(fields.email) }
      const request = idempotentRequest(key, 'createContact', fields, now)
      return requireWritten(requireAccepted(await store.createContact(scope, contact, request)))
    },

    async upsert(
      scope: BotScope,
      entries: BodyOf<'upsertContacts'>['data'],
      key?: IdempotencyKey,
    ): Promise<IdempotentResult<UpsertResult[]>> {
      const keys = await mapInSlices(entries, ({ email }) => emailKey(email))
      const unusable = keys.flatMap((key, index) => (key === null ? [index] : []))
      if (unusable.length > 0) throw entriesProblem(unusable.map(index => ({ index, reason: 'email_invalid' })))
      const now = clock.now()
      const at = timestamp(now)
      const rows = entries.map((entry, index) => ({
        ...entry,
        emailKey: keys[index] ?? '',
        id: createId(now),
        createdAt: at,
        updatedAt: at,
      }))
      const request = idempotentRequest(key, 'upsertContacts', entries, now)
      const result = requireAccepted(await store.upsertContacts(scope, rows, request))
      if ('problems' in result) throw entriesProblem(result.problems)
      return { value: result.value.map((id, index) => ({ index, id })), replayed: result.replayed }
    },

    async search(
      scope: BotScope,
      { query, email, page, limit }: QueryOf<'searchContacts'>,
    ): Promise<{ data: Contact[]; pagination: Pagination }> {
      if (email !== undefined) {
        const found = await findByEmail(scope, email, query)
        return { data: page === 1 ? found : [], pagination: paginate(page, limit, found.length) }
      }
      const found = await store.searchContacts(scope, { ...normalizeQuery(query), page, limit })
      if (found === 'not_found') throw notFound()
      const { contacts, total, ...exactness } = found
      const pagination = { ...paginate(page, limit, total), ...exactness }
      if (pagination.totalIsExact === false && page > pagination.totalPages) throw endOfPages(pagination.totalPages)
      return { data: contacts, pagination }
    },

    /** Like a search, but from page to page by cursor, so that every page is equally fast. */
    async list(scope: BotScope, { query, email, after, limit }: QueryOf<'listContacts'>): Promise<ContactListPage> {
      if (email !== undefined) {
        if (after !== undefined) throw fieldProblem('/after', 'invalid_format', 'A search for an `email` has one page.')
        return { data: await findByEmail(scope, email, query), next: null }
      }
      const list = ['contacts', scope.botId, query]
      const start = after === undefined ? {} : { after: toPosition(readCursor(list, after, isPosition)) }
      const found = await store.listContacts(scope, { ...normalizeQuery(query), ...start, limit })
      if (found === 'not_found') throw notFound()
      const { contacts, next } = found
      const place = next && [next.createdAt, next.id, next.usesScan ? 'scan' : 'indexed']
      return { data: contacts, next: place && createCursor(list, place) }
    },

    retrieve: find,

    async update(scope: ContactScope, fields: BodyOf<'updateContact'>, key?: IdempotencyKey) {
      // Without a field nothing changes, not even `updatedAt`.
      if (Object.keys(fields).length === 0) {
        await find(scope)
        return { value: undefined, replayed: false }
      }
      const { contactId } = scope
      if (!isId(contactId)) throw notFound()
      const now = clock.now()
      const email = fields.email === undefined ? {} : { emailKey: requireEmailKey(fields.email) }
      const request = idempotentRequest(key, 'updateContact', { contactId, ...fields }, now)
      const updated = { ...fields, ...email, updatedAt: timestamp(now) }
      return requireWritten(requireAccepted(await store.updateContact(scope, updated, request)))
    },

    async attributes(scope: ContactScope): Promise<Attributes> {
      const found = isId(scope.contactId) ? await store.findContactAttributes(scope) : null
      if (!found) throw notFound()
      return found
    },

    /** Replaces all attributes of the contact. Its `updatedAt` stays. */
    async setAttributes(scope: ContactScope, attributes: Attributes, key?: IdempotencyKey) {
      const { contactId } = scope
      if (!isId(contactId)) throw notFound()
      const request = idempotentRequest(key, 'setContactAttributes', { contactId, attributes }, clock.now())
      return requireAccepted(await store.setContactAttributes(scope, attributes, request))
    },

    /** Also signs the contact out everywhere and deletes its conversation. */
    async delete(scope: ContactScope, key?: IdempotencyKey) {
      const { contactId } = scope
      if (!isId(contactId)) throw notFound()
      const now = clock.now()
      const request = idempotentRequest(key, 'deleteContact', { contactId }, now)
      const onErased = (erasure: ContactErasure) => publishErasure(bus, scope, erasure)
      return requireAccepted(await deleteContact(store, scope, timestamp(now), onErased, request))
    },

    /** Deletes the conversation of a guest, and signs it out. */
    async deleteGuest(scope: BotScope, conversationId: string): Promise<void> {
      for (;;) {
        const erasure = await store.deleteGuest(scope, conversationId, timestamp(clock.now()))
        publishErasure(bus, scope, erasure)
        if (!erasure.isIncomplete) return
      }
    },
  }
}

/**
 * Deletes a contact with everything that belongs to it. One with many messages or files takes several transactions; `onErased`
 * gets what each has erased, as soon as it is committed.
 */
export async function deleteContact(
  store: Pick<ContactStore, 'deleteContact'>,
  scope: ContactScope,
  at: string,
  onErased: (erasure: ContactErasure) => void,
  request?: IdempotentRequest,
): Promise<IdempotentResult<void> | KeyRefused | NotFound> {
  for (;;) {
    const result = await store.deleteContact(scope, at, request)
    if (typeof result === 'string') return result
    onErased(result.value)
    if (!result.value.isIncomplete) return { value: undefined, replayed: result.replayed }
  }
}

/** Tells streams and desks what a step of a deletion has ended and deleted. */
export function publishErasure(bus: Bus, { botId }: BotScope, { ended, conversationId }: ContactErasure): void {
  publishSessionEnds(bus, ended)
  if (conversationId !== null) announce(bus, { botId, conversationId }, { type: 'erased' })
}

type Position = [createdAt: string, id: string, way: 'scan' | 'indexed']

const isPosition = (parts: string[]): parts is Position => {
  const [createdAt = '', id = '', way = ''] = parts
  return parts.length === 3 && isTimestamp(createdAt) && isId(id) && (way === 'scan' || way === 'indexed')
}

const toPosition = ([createdAt, id, way]: Position): ContactPosition => ({ createdAt, id, usesScan: way === 'scan' })

const endOfPages = (last: number): ProblemError =>
  fieldProblem(
    '/page',
    'out_of_range',
    `This search finds more contacts than its ${last} pages hold. Search for a longer text, or read all with GET on this path.`,
  )

function requireWritten<Value>(result: IdempotentResult<Value> | EmailTaken): IdempotentResult<Value> {
  if (!('taken' in result)) return result
  const { contactId } = result.taken
  // Do not name a contact of another bot.
  throw problem('email_taken', contactId === undefined ? {} : { conflict: { field: 'email', contactId } })
}

const sentences = {
  name_missing: ['name', 'missing', 'A new contact needs a name.'],
  email_taken: ['email', 'email_taken', 'The email belongs to a contact of another bot.'],
  email_invalid: ['email', 'invalid_format', 'Must be an email address such as ada@example.com.'],
} as const

function entriesProblem(
  problems: { index: number; reason: UpsertProblem['reason'] | 'email_invalid' }[],
): ProblemError {
  const errors = problems.slice(0, maxErrors).map(({ index, reason }) => {
    const [field, code, detail] = sentences[reason]
    return { pointer: `/data/${index}/${field}`, code, detail, index }
  })
  return problem('invalid_request', { detail: 'Nothing was written: see errors for the entries in question.', errors })
}
