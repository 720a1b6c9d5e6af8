import type { Attributes, Contact } from '../../../contract/index.ts'
import type {
  BotScope,
  ContactChanges,
  ContactExport,
  ContactPageStart,
  ContactRow,
  ContactScope,
  EmailTaken,
  EndedSession,
  FoundContacts,
  IdempotentRequest,
  KeyRefused,
  ListedContacts,
  NotFound,
  Search,
  UpsertEntry,
  UpsertProblem,
} from '../records.ts'

/** The contacts of a bot. */
export interface ContactStore {
  /** `not_found`: the organization has no such bot. `taken`: a contact of the organization has this email key. */
  createContact(
    scope: BotScope,
    contact: ContactRow,
    request?: IdempotentRequest,
  ): Promise<Contact | { replayed: Contact } | KeyRefused | NotFound | EmailTaken>
  findContact(scope: ContactScope): Promise<Contact | null>
  /** The bot's contact with this email key. */
  findContactByEmail(scope: BotScope, emailKey: string): Promise<Contact | null>
  updateContact(
    scope: ContactScope,
    changes: ContactChanges,
    request?: IdempotentRequest,
  ): Promise<Contact | 'replayed' | KeyRefused | NotFound | EmailTaken>
  /** Applies the entries in order, all or none. `problems` lists the entries that cannot be applied. */
  upsertContacts(
    scope: BotScope,
    entries: UpsertEntry[],
    request?: IdempotentRequest,
  ): Promise<{ ids: string[]; replayed: boolean } | { problems: UpsertProblem[] } | KeyRefused | NotFound>
  /**
   * Newest first (`createdAt`, then `id`, descending). Rows and total come from one snapshot. A total is exact for all
   * contacts, and up to `maxCounted` for a search. Throws `StoreBusyError` when too many reads of the organization are
   * waiting.
   */
  searchContacts(scope: BotScope, search: Search): Promise<FoundContacts | NotFound>
  /**
   * The next contacts of a search in the same order, without a total. A walk from page to page gives each contact at most
   * once, and every one that exists and matches throughout. Each call does a limited amount of work. Throws
   * `StoreBusyError` like `searchContacts`.
   */
  listContacts(scope: BotScope, page: ContactPageStart): Promise<ListedContacts | NotFound>
  /** `null`: the bot has no such contact. */
  findContactAttributes(scope: ContactScope): Promise<Attributes | null>
  /** Replaces all attributes of the contact. */
  setContactAttributes(
    scope: ContactScope,
    attributes: Attributes,
    request?: IdempotentRequest,
  ): Promise<'set' | 'replayed' | KeyRefused | NotFound>
  /**
   * Also ends the contact's sessions (`contact_deleted`), which it resolves to, and deletes its conversation.
   * `isIncomplete`: the contact has too many messages or files to be deleted at once. Some of them were deleted, and its
   * sessions have ended: call it again.
   */
  deleteContact(
    scope: ContactScope,
    at: string,
    request?: IdempotentRequest,
  ): Promise<{ ended: EndedSession[]; isIncomplete: boolean } | 'replayed' | KeyRefused | NotFound>
  /**
   * A contact with its sessions and its conversation. Throws `StoreBusyError` when too many reads of the organization
   * are waiting.
   */
  exportContact(scope: ContactScope): Promise<ContactExport | null>
}
