import type { Attributes, Contact, ContactData, ContactUpdate, MessageWithContext } from '../../../contract/index.ts'
import type { BotScope, ContactScope, IdempotentRequest, IdempotentResult, KeyRefused, NotFound } from './common.ts'
import type { EmailsEnded } from './deliveryStore.ts'
import type { EndedSession, SessionRow } from './sessionStore.ts'

/** A contact with its email key. */
export interface ContactRow extends Contact {
  emailKey: string
}
/** What a step of a contact's deletion has ended and deleted. */
export interface ContactErasure {
  ended: EndedSession[]
  conversationId: string | null
  isIncomplete: boolean
}
export interface EmailTaken {
  /** The other contact's id, only if it belongs to the same bot. */
  taken: { contactId?: string }
}
/**
 * Absent fields keep their values. `updatedAt` applies only if a field changes, and never sets a contact's own back: the
 * call may have waited while another one changed the contact.
 */
export interface ContactChanges extends ContactUpdate {
  emailKey?: string
  updatedAt: string
}
/** `id` and `createdAt` apply only if the email is new. */
export interface UpsertEntry extends ContactChanges {
  id: string
  email: string
  emailKey: string
  createdAt: string
}
export interface UpsertProblem {
  index: number
  reason: 'name_missing' | 'email_taken'
}

/**
 * What to search for, as `normalizeQuery` returns it. A contact matches if it matches each word: if its normalized name
 * contains `name`, one of its other normalized fields contains `rest`, or the digits of its phone or wid contain `digits`.
 * A `""` (of a word of combining marks only) matches nothing.
 */
export interface SearchTerm {
  words: { name: string; rest: string; digits?: string }[]
}
export interface Search extends SearchTerm {
  /** Counted from 1. A page beyond the last one is empty. */
  page: number
  limit: number
}
export interface FoundContacts {
  contacts: Contact[]
  total: number
  /** There may be more than `total`, which are not on any page. */
  totalIsExact?: false
}
/** A position in the list of contacts: after the contact with this time and id, which may be deleted by now. */
export interface ContactPosition {
  createdAt: string
  id: string
  /** Whether so many contacts match that the list compares them one after the other, without the index. */
  usesScan: boolean
}
export interface ContactPageStart extends SearchTerm {
  after?: ContactPosition
  limit: number
}
export interface ListedContacts {
  /** May be fewer than the limit, even none, before the end of the list. */
  contacts: Contact[]
  /** `null` at the end of the list. */
  next: ContactPosition | null
}
export interface ContactExport {
  contact: Contact
  attributes: Attributes
  /** The language that the widget showed last; `null` if that is not known. */
  locale: string | null
  /** Why the contact gets no emails; `null` if it does. */
  emailsEnded: EmailsEnded | null
  sessions: { createdAt: string; expiresAt: string; ended: SessionRow['ended'] }[]
  messages: MessageWithContext[]
}

/** The contacts of a bot. */
export interface ContactStore {
  /** `not_found`: the organization has no such bot. `taken`: a contact of the organization has this email key. */
  createContact(
    scope: BotScope,
    contact: ContactRow,
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<Contact> | KeyRefused | NotFound | EmailTaken>
  findContact(scope: ContactScope): Promise<Contact | null>
  /** The bot's contact with this email key. */
  findContactByEmail(scope: BotScope, emailKey: string): Promise<Contact | null>
  updateContact(
    scope: ContactScope,
    changes: ContactChanges,
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<void> | KeyRefused | NotFound | EmailTaken>
  /** Applies the entries in order, all or none. Resolves to their ids. `problems` lists the entries that cannot be applied. */
  upsertContacts(
    scope: BotScope,
    entries: UpsertEntry[],
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<string[]> | { problems: UpsertProblem[] } | KeyRefused | NotFound>
  /**
   * Newest first (`createdAt`, then `id`, descending). Rows and total come from one snapshot. A total is exact for all
   * contacts, and up to `maxCounted` for a search.
   */
  searchContacts(scope: BotScope, search: Search): Promise<FoundContacts | NotFound>
  /**
   * The next contacts of a search in the same order, without a total. A walk from page to page gives each contact at most
   * once, and every one that exists and matches throughout. Each call does a limited amount of work.
   */
  listContacts(scope: BotScope, page: ContactPageStart): Promise<ListedContacts | NotFound>
  /** `null`: the bot has no such contact. */
  findContactAttributes(scope: ContactScope): Promise<Attributes | null>
  /** Replaces all attributes of the contact. */
  setContactAttributes(
    scope: ContactScope,
    attributes: Attributes,
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<void> | KeyRefused | NotFound>
  /**
   * Also ends the contact's sessions (`contact_deleted`) and deletes its conversation; resolves to both.
   * `isIncomplete`: the contact has too many messages or files to be deleted at once. Some of them were deleted, and its
   * sessions have ended: call it again.
   */
  deleteContact(
    scope: ContactScope,
    at: string,
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<ContactErasure> | KeyRefused | NotFound>
  /** The first step of the same, for the contact of an open session. Adds it to the audit list. `ended`: it is not open. */
  deleteContactOfSession(scope: ContactScope, hash: string, at: string): Promise<ContactErasure | 'ended'>
  /** Some contacts whose deletion was interrupted after it had ended their sessions. */
  listInterruptedDeletions(limit: number): Promise<ContactScope[]>
  /** The same for a guest, who is known by the conversation alone. */
  deleteGuest(scope: BotScope, conversationId: string, at: string): Promise<ContactErasure>
  /** What the contact sees of what is stored about it. */
  readContactData(scope: ContactScope): Promise<ContactData | null>
  /** A contact with its sessions and its conversation. */
  exportContact(scope: ContactScope): Promise<ContactExport | null>
}
