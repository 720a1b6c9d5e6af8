import type { Contact, Conversation, EndReason, Message } from '../../contract/index.ts'
import type {
  Bot,
  BotChanges,
  BotScope,
  ContactChanges,
  ContactExport,
  ContactRow,
  ContactScope,
  ConversationKey,
  ConversationPageStart,
  ConversationRow,
  DeliveryLimits,
  EmailTaken,
  EndedSession,
  IdempotentRequest,
  KeyReused,
  LeasedDelivery,
  LeasedTurn,
  NewMessage,
  NewSession,
  NotFound,
  Organization,
  OrganizationToken,
  Position,
  PurgeLimits,
  QuotaGrant,
  QuotaRequest,
  Search,
  SessionRow,
  UpsertEntry,
  UpsertProblem,
} from './records.ts'

export type * from './records.ts'

/**
 * The port to what is kept. Each method is one atomic step: it happens whole or not at all, and a write that has
 * resolved survives `kill -9`. Times are ISO 8601 UTC with milliseconds; tokens arrive as SHA-256 hashes (hex) only.
 * A method throws `StoreUnavailableError` when the engine does not answer; the platform says 503 then.
 *
 * Methods that take an `IdempotentRequest` look its key up first, and write it with their effect: the same request
 * again is answered with what the first did, another one under the same key with `key_reused`.
 */
export interface Store {
  createOrganization(organization: Organization): Promise<void>
  listOrganizations(): Promise<Organization[]>
  createBot(bot: Bot): Promise<void>
  /** Every bot, or those of one organization. */
  listBots(organizationId?: string): Promise<Bot[]>
  findBot(botId: string): Promise<Bot | null>
  /** Changes what is given; resolves to the bot as it is now. */
  updateBot(botId: string, changes: BotChanges): Promise<Bot | NotFound>

  createOrganizationToken(token: OrganizationToken): Promise<void>
  listOrganizationTokens(organizationId?: string): Promise<OrganizationToken[]>
  /** Finds a token, a revoked one too. */
  findOrganizationToken(hash: string): Promise<OrganizationToken | null>
  /** Notes that a token was used. */
  touchOrganizationToken(hash: string, at: string): Promise<void>
  /** Ends those whose prefix matches, or all that `--dev` made; returns how many. */
  revokeOrganizationTokens(which: { prefix: string } | { dev: true }, at: string): Promise<number>

  /** `not_found`: no such bot in the organization. `taken`: the email key lives in the organization already. */
  createContact(
    scope: BotScope,
    contact: ContactRow,
    request?: IdempotentRequest,
  ): Promise<Contact | { replayed: Contact } | KeyReused | NotFound | EmailTaken>
  findContact(scope: ContactScope): Promise<Contact | null>
  updateContact(scope: ContactScope, changes: ContactChanges): Promise<Contact | NotFound | EmailTaken>
  /** All or nothing, in order. `problems` names entries that can't be applied; then nothing was written. */
  upsertContacts(
    scope: BotScope,
    entries: UpsertEntry[],
    request?: IdempotentRequest,
  ): Promise<{ ids: string[]; replayed: boolean } | { problems: UpsertProblem[] } | KeyReused | NotFound>
  /**
   * Newest first (`createdAt`, then `id`, descending); rows and total come from one pass. This, `exportContact` and
   * `listConversations` throw `StoreBusyError` where too many of the organization's wait.
   */
  searchContacts(scope: BotScope, search: Search): Promise<{ contacts: Contact[]; total: number } | NotFound>
  /** Also ends every token of the contact (`contact_deleted`) and erases its conversation. */
  deleteContact(scope: ContactScope, at: string): Promise<EndedSession[] | NotFound>

  /** A contact with its conversation and sessions, as the person may ask for it. */
  exportContact(scope: ContactScope): Promise<ContactExport | null>

  /**
   * A session of a contact, and its conversation where it has none yet. `mismatch`: id and email key disagree.
   * `replaced`: the request was repeated; its first session has ended (unless it had before) and this one takes its place.
   */
  createContactSession(
    scope: BotScope,
    whose: { contactId?: string; emailKey?: string },
    session: NewSession,
    request?: IdempotentRequest,
  ): Promise<'created' | { replaced: EndedSession[] } | 'mismatch' | KeyReused | NotFound>
  /** An anonymous session with a conversation of its own. */
  createVisitorSession(botId: string, session: NewSession): Promise<'created' | NotFound>
  /** Finds a session, an ended one too, by its token's hash. */
  findSession(hash: string): Promise<SessionRow | null>
  /** Moves the end of an anonymous session on; no effect on one that has ended or expired. */
  extendSession(hash: string, expiresAt: string, at: string): Promise<void>
  /** Ends one session of the bot, and tells the bot's events webhook of a logout; resolves to it, or `null` where nothing was open under that hash. */
  endSession(botId: string, hash: string, reason: EndReason, at: string): Promise<EndedSession | null>
  /** Ends every session of a contact. */
  endContactSessions(scope: ContactScope, reason: EndReason, at: string): Promise<EndedSession[] | NotFound>

  /**
   * Stores a visitor's message, if the session of `hash` is still open; with it a responder's turn, unless an agent has
   * paused the responder, and what the bot's events webhook is to be told.
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
  /** A bot's conversations that hold a message, that with the newest first (time, then id, descending). */
  listConversations(scope: BotScope, page: ConversationPageStart): Promise<Conversation[] | NotFound>
  /** A conversation of the bot by its own or its contact's id. */
  findBotConversation(scope: BotScope, which: ConversationKey): Promise<ConversationRow | null>
  /**
   * Stores an agent's message, ends the responder's turn where one waits or runs, and silences the responder until
   * `pausedUntil`. A contact that has no conversation yet gets one of the id `newConversationId`.
   */
  appendAgentMessage(
    scope: BotScope,
    which: ConversationKey & { newConversationId: string },
    message: NewMessage,
    pausedUntil: string | null,
  ): Promise<{ conversationId: string; message: Message; repeated: boolean } | 'reused' | NotFound>
  /** Lets the responder answer again. */
  handBack(scope: BotScope, which: ConversationKey): Promise<{ conversationId: string } | NotFound>
  /** Only forward, never beyond the last message; resolves to the seq that stands now. */
  markRead(hash: string, seq: number, at: string): Promise<number | 'ended'>

  /** Leases up to `limit` turns that are due: unanswered, and leased by nobody or no longer. */
  leaseTurns(owner: string, now: string, leaseUntil: string, limit: number): Promise<LeasedTurn[]>
  /** Keeps the lease; `false` where it has been lost, then the owner must stop. */
  renewTurn(conversationId: string, owner: string, leaseUntil: string): Promise<boolean>
  /**
   * Stores the answer and ends the turn, if `owner` still holds it; messages that came meanwhile form the next turn.
   * `refused`: it was over a limit, and counts as one that was never begun, so that nobody uses up what others need.
   * Where a message has the answer's id already, the answer gets another, which the message that it resolves to bears.
   */
  completeTurn(conversationId: string, owner: string, reply: NewMessage, refused?: boolean): Promise<Message | null>

  /** Ends the turn without an answer, if `owner` still holds it. */
  endTurn(conversationId: string, owner: string): Promise<boolean>

  /** Leases events that are due to be told to bots' webhooks: of each bot the oldest, as many as the limits allow. */
  leaseDeliveries(owner: string, now: string, leaseUntil: string, limits: DeliveryLimits): Promise<LeasedDelivery[]>
  /** Forgets a delivery that has arrived or is given up, if `owner` still holds it. */
  endDelivery(deliveryId: string, owner: string): Promise<void>
  /** Gives a delivery back until `dueAt`, if `owner` still holds it. */
  postponeDelivery(deliveryId: string, owner: string, dueAt: string): Promise<void>

  /**
   * One query for all that has an open stream here: of the conversations those that have gone on from where they are
   * said to be, and the sessions that have ended or expired.
   */
  sweep(live: { conversations: Position[]; hashes: string[]; now: string }): Promise<{
    conversations: Position[]
    ended: EndedSession[]
  }>
  /**
   * Takes permits of a key's window, which begins with the first: `wanted`, or a share of what is left where that is
   * more, never more than what is left. A crash of the engine may forget what was taken. Only where nodes share
   * the store: else a process counts for itself.
   */
  consumeQuota?(key: string, wanted: QuotaRequest): Promise<QuotaGrant>

  /**
   * Forgets what has had its time. The one method that is not one step: it goes on until nothing is left, and lets other
   * writes in between.
   */
  purge(limits: PurgeLimits): Promise<void>

  /** What time it is for the engine, in milliseconds since the epoch. Only where nodes share the store, each with a clock of its own. */
  now?(): Promise<number>

  /** How many calls wait for the engine. */
  queueDepth(): number
  /** Resolves when the engine answers. */
  ping(): Promise<void>
  /** Finishes what is under way and lets go. */
  close(): Promise<void>
}

/** How a call of the store ended. */
export type StoreOutcome = 'ok' | 'busy' | 'unavailable' | 'failed'

/** The organization has as many searches, lists or exports waiting as it may: the platform says 429. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError'
}

/** The engine does not answer: the platform says 503, the caller tries again. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}
