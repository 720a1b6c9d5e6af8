import type { BotFace, Contact, EndReason, Message } from '../../contract/index.ts'

/**
 * The port to what is kept. Each method is one atomic step: it happens whole or not at all, and a write that has
 * resolved survives `kill -9`. Times are ISO 8601 UTC with milliseconds; tokens arrive as SHA-256 hashes (hex) only.
 * A method throws `StoreUnavailableError` when the engine does not answer; the platform says 503 then.
 */
export interface Store {
  createOrganization(organization: Organization): Promise<void>
  listOrganizations(): Promise<Organization[]>
  createBot(bot: Bot): Promise<void>
  /** Every bot, or those of one organization. */
  listBots(organizationId?: string): Promise<Bot[]>
  findBot(botId: string): Promise<Bot | null>

  createOrganizationToken(token: OrganizationToken): Promise<void>
  listOrganizationTokens(organizationId?: string): Promise<OrganizationToken[]>
  /** Finds a token, a revoked one too. */
  findOrganizationToken(hash: string): Promise<OrganizationToken | null>
  /** Ends those whose prefix matches, or all that `--dev` made; returns how many. */
  revokeOrganizationTokens(which: { prefix: string } | { dev: true }, at: string): Promise<number>

  /** `not_found`: no such bot in the organization. `taken`: the email key lives in the organization already. */
  createContact(scope: BotScope, contact: ContactRow): Promise<Contact | NotFound | EmailTaken>
  findContact(scope: ContactScope): Promise<Contact | null>
  updateContact(scope: ContactScope, changes: ContactChanges): Promise<Contact | NotFound | EmailTaken>
  /** All or nothing, in order. `problems` names entries that can't be applied; then nothing was written. */
  upsertContacts(
    scope: BotScope,
    entries: UpsertEntry[],
  ): Promise<{ ids: string[] } | { problems: UpsertProblem[] } | NotFound>
  /** Newest first (`createdAt`, then `id`, descending); rows and total come from one pass. */
  searchContacts(scope: BotScope, search: Search): Promise<{ contacts: Contact[]; total: number } | NotFound>
  /** Also ends every token of the contact (`contact_deleted`) and erases its conversation. */
  deleteContact(scope: ContactScope, at: string): Promise<EndedSession[] | NotFound>

  /** A session of a contact, and its conversation where it has none yet. `mismatch`: id and email key disagree. */
  createContactSession(
    scope: BotScope,
    whose: { contactId?: string; emailKey?: string },
    session: NewSession,
  ): Promise<'created' | 'mismatch' | NotFound>
  /** An anonymous session with a conversation of its own. */
  createVisitorSession(botId: string, session: NewSession): Promise<'created' | NotFound>
  /** Finds a session, an ended one too, by its token's hash. */
  findSession(hash: string): Promise<SessionRow | null>
  /** Moves the end of an anonymous session on; no effect on one that has ended or expired. */
  extendSession(hash: string, expiresAt: string, at: string): Promise<void>
  /** Ends one session of the bot; resolves to it, or `null` where nothing was open under that hash. */
  endSession(botId: string, hash: string, reason: EndReason, at: string): Promise<EndedSession | null>
  /** Ends every session of a contact. */
  endContactSessions(scope: ContactScope, reason: EndReason, at: string): Promise<EndedSession[] | NotFound>

  /**
   * Stores a visitor's message and a responder's turn for it, if the session of `hash` is still open.
   * `repeated`: the same id, text and author stands already. `reused`: the id stands with another text or author.
   */
  appendVisitorMessage(
    hash: string,
    message: NewMessage,
  ): Promise<{ message: Message; repeated: boolean } | 'reused' | 'ended'>
  /** The newest `limit` messages with a seq below `before`, ascending. */
  listMessages(conversationId: string, page: { before?: number; limit: number }): Promise<Message[]>
  /** Messages after `after`, ascending, at most `limit`. */
  listMessagesAfter(conversationId: string, after: number, limit: number): Promise<Message[]>
  findConversation(conversationId: string): Promise<ConversationRow | null>
  /** Only forward, never beyond the last message; resolves to the seq that stands now. */
  markRead(hash: string, seq: number, at: string): Promise<number | 'ended'>

  /** Leases up to `limit` turns that are due: unanswered, and leased by nobody or no longer. */
  leaseTurns(owner: string, now: string, leaseUntil: string, limit: number): Promise<LeasedTurn[]>
  /** Keeps the lease; `false` where it has been lost, then the owner must stop. */
  renewTurn(conversationId: string, owner: string, leaseUntil: string): Promise<boolean>
  /** Stores the answer and ends the turn, if `owner` still holds it; messages that came meanwhile form the next turn. */
  completeTurn(conversationId: string, owner: string, reply: NewMessage): Promise<Message | null>

  /** One query for all that has an open stream here: last seqs, and sessions that have ended or expired. */
  sweep(live: { conversationIds: string[]; hashes: string[]; now: string }): Promise<{
    conversations: { id: string; lastSeq: number; readSeq: number }[]
    ended: EndedSession[]
  }>
  /**
   * Forgets sessions that expired before `before`, anonymous conversations with them, and organization tokens revoked
   * before it. The one method that is not one step: it goes on until nothing is left.
   */
  purge(before: string): Promise<void>

  /** Resolves when the engine answers. */
  ping(): Promise<void>
  /** Finishes what is under way and lets go. */
  close(): Promise<void>
}

export type NotFound = 'not_found'
export interface EmailTaken {
  /** The other contact's id, only where it is in the same bot. */
  taken: { contactId?: string }
}

export interface BotScope {
  organizationId: string
  botId: string
}
export interface ContactScope extends BotScope {
  contactId: string
}

export interface Organization {
  id: string
  name: string
  createdAt: string
}

/** A bot with its configuration; `origins` may hold `*` and, for `--dev`, `http://localhost:*`. */
export interface Bot extends BotFace {
  organizationId: string
  origins: string[]
  createdAt: string
}

export interface OrganizationToken {
  hash: string
  /** The first characters, by which people tell tokens apart. */
  prefix: string
  organizationId: string
  dev: boolean
  createdAt: string
  revokedAt: string | null
}

/** A contact with its email's key; the folded search text is the store's own business. */
export interface ContactRow extends Contact {
  emailKey: string
}
/** Only the fields given change; `updatedAt` comes along with any change. */
export interface ContactChanges {
  name?: string
  email?: string
  emailKey?: string
  phone?: string
  mid?: string
  wid?: string
  updatedAt: string
}
/** `id` and `createdAt` count only where the email is new. */
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
 * What `foldQuery` makes of a query: a contact matches whose folded name holds `text.name`, whose other folded fields
 * hold `text.rest`, or whose phone or wid holds `digits` when only digits count. Both texts `""` means all; one of
 * them `""` (a name of marks alone) matches nothing on its side.
 */
export interface Search {
  text: { name: string; rest: string }
  digits?: string
  /** Page from 1; beyond the last one the last is returned. */
  page: number
  limit: number
}

export interface NewSession {
  hash: string
  /** Used where the contact (or the visitor) has no conversation yet. */
  conversationId: string
  createdAt: string
  expiresAt: string
}
export interface SessionRow {
  hash: string
  botId: string
  conversationId: string
  contact: { id: string; name: string } | null
  createdAt: string
  expiresAt: string
  ended: { reason: EndReason; at: string } | null
}
export interface EndedSession {
  hash: string
  conversationId: string
  reason: EndReason
}

export interface ConversationRow {
  /** Messages by others than the visitor after `readSeq`. */
  unread: number
  id: string
  botId: string
  contact: { id: string; name: string } | null
  lastSeq: number
  readSeq: number
}
/** A message before its seq is known. */
export type NewMessage = Omit<Message, 'seq'>

/** A turn to answer. */
export interface LeasedTurn {
  conversationId: string
  botId: string
  contact: { id: string; name: string } | null
  /** The last messages, ascending, but those of the visitor that no answer has covered at the end. */
  messages: Message[]
  /** How often it has been leased, this time included. */
  attempt: number
}

/** The engine does not answer: the platform says 503, the caller tries again. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}
