import type { AttachmentStore } from './ports/attachmentStore.ts'
import type { AuditStore } from './ports/auditStore.ts'
import type { ContactStore } from './ports/contactStore.ts'
import type { ConversationStore, Position } from './ports/conversationStore.ts'
import type { DeliveryStore } from './ports/deliveryStore.ts'
import type { DeskStore } from './ports/deskStore.ts'
import type { MemberStore } from './ports/memberStore.ts'
import type { OrganizationStore } from './ports/organizationStore.ts'
import type { SavedReplyStore } from './ports/savedReplyStore.ts'
import type { EndedSession, SessionStore } from './ports/sessionStore.ts'
import type { TurnStore } from './ports/turnStore.ts'
import type { VisitorEmailStore } from './ports/visitorEmailStore.ts'

export type * from './ports/attachmentStore.ts'
export type * from './ports/auditStore.ts'
export type * from './ports/common.ts'
export type * from './ports/contactStore.ts'
export type * from './ports/conversationStore.ts'
export type * from './ports/deliveryStore.ts'
export type * from './ports/deskStore.ts'
export type * from './ports/memberStore.ts'
export type * from './ports/organizationStore.ts'
export type * from './ports/savedReplyStore.ts'
export type * from './ports/sessionStore.ts'
export type * from './ports/turnStore.ts'
export type * from './ports/visitorEmailStore.ts'

/**
 * The port to the database. Each method is one atomic step: it takes effect completely or not at all, and a write that
 * has resolved survives `kill -9`. Times are ISO 8601 in UTC with milliseconds. Tokens arrive only as SHA-256 hashes
 * (hex). A method throws `StoreUnavailableError` when the engine does not answer; the platform then responds with 503.
 * Long reads (`longReads` of `admission.ts`) throw `StoreBusyError` when too many of the organization are waiting. On SQLite the
 * name of a method decides its thread (`sqlite/sqliteStore.ts`): one that begins with `find` or `list` must be a quick read.
 *
 * Methods that take an `IdempotentRequest` look its key up first and store the key together with their effect. The same
 * request again gets the result of the first one. Another request with the same key gets `key_reused`. An attempt with a
 * lower number than one that the store has decided, even by a refusal, gets `superseded`.
 */
export interface Store
  extends OrganizationStore,
    ContactStore,
    SessionStore,
    ConversationStore,
    AttachmentStore,
    TurnStore,
    DeliveryStore,
    MemberStore,
    AuditStore,
    DeskStore,
    SavedReplyStore,
    VisitorEmailStore {
  /**
   * Checks all open streams of a node in one query: resolves to the conversations that have advanced beyond the given
   * positions, and to the sessions that have ended or expired.
   */
  sweep(live: { conversations: Position[]; hashes: string[]; now: string }): Promise<{
    conversations: Position[]
    ended: EndedSession[]
  }>
  /**
   * Deletes expired rows. This method alone is not one atomic step: it works in batches until nothing is left, lets other
   * calls run in between, and pauses while any wait.
   */
  purge(cutoffs: PurgeCutoffs): Promise<void>
  /**
   * The engine's time in milliseconds since the epoch. Only for a store that several nodes share, each with its own
   * clock.
   */
  now?(): Promise<number>
  /**
   * Starts the threads that serve reads. Otherwise the first reads start them: on a busy machine that can take longer than
   * these reads may take. Only for an engine with threads.
   */
  startReaders?(): Promise<void>
  /** How many calls wait for the engine or run in it. */
  queueDepth(): number
  /** Resolves when the engine answers. */
  ping(): Promise<void>
  /** Waits for calls under way, then closes the database. */
  close(): Promise<void>
}

export interface PurgeCutoffs {
  now: string
  /**
   * Deletes sessions that were ended before this time, or expired before it, anonymous ones with their conversation, and
   * organization tokens revoked before it.
   */
  endedBefore: string
  /** Deletes the messages of conversations whose last message is older than this. */
  lastMessageBefore?: string
}

/** How a call of the store ended. */
export type StoreOutcome = 'ok' | 'busy' | 'unavailable' | 'failed'

/** Too many searches, lists or exports of the organization are waiting: the platform responds with 429. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError'
}

/** The engine does not answer: the platform responds with 503, and the client retries. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The error of a database that cannot be opened, with its name. */
export function cannotOpen(database: string, cause: unknown, advice = ''): StoreUnavailableError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailableError(`Cannot open the database ${database}: ${reason}${advice}`, { cause })
}
