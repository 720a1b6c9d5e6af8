import type { EndReason } from '../../../contract/index.ts'
import type { BotScope, ContactScope, IdempotentRequest, IdempotentResult, KeyRefused, NotFound } from './common.ts'

/** `blocked`: the visitor is not told by an event. Its widget would begin another session. */
export type SessionEndReason = EndReason | 'blocked'

export interface NewSession {
  hash: string
  /** The id of the new conversation, if the contact has none yet. */
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
  ended: { reason: SessionEndReason; at: string } | null
}
export interface EndedSession {
  hash: string
  conversationId: string
  reason: SessionEndReason
}

/** Sessions of contacts and of anonymous visitors, by the hash of their token. */
export interface SessionStore {
  /**
   * Creates a session of a contact, and the contact's conversation if it has none yet. `mismatch`: id and email key
   * name different contacts. A repetition ends the session that the request created first, if it is still open, and
   * resolves to it; the new one takes its place.
   */
  createContactSession(
    scope: BotScope,
    selector: { contactId?: string; emailKey?: string },
    session: NewSession,
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<EndedSession[]> | 'mismatch' | KeyRefused | NotFound>
  /** Creates an anonymous session with a conversation of its own. `contacts_only`: the bot has none. */
  createVisitorSession(botId: string, session: NewSession): Promise<'created' | 'contacts_only' | NotFound>
  /** Also finds an ended session. */
  findSession(hash: string): Promise<SessionRow | null>
  /** Moves the expiry of an anonymous session; does nothing to one that has ended or expired. */
  extendSession(hash: string, expiresAt: string, at: string): Promise<void>
  /**
   * Ends one session of the bot, and enqueues an event for the bot's events webhook where the reason is `logged_out`.
   * Resolves to `null` where no open session has this hash.
   */
  endSession(botId: string, hash: string, reason: EndReason, at: string): Promise<EndedSession | null>
  /** Ends the session of a guest, which has the conversation alone; resolves to `[]` if it is not open. */
  endGuestSession(conversationId: string, reason: SessionEndReason, at: string): Promise<EndedSession[]>
  /** Ends every session of a contact. A repetition ends none of those that have begun since. */
  endContactSessions(
    scope: ContactScope,
    reason: EndReason,
    at: string,
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<EndedSession[]> | KeyRefused | NotFound>
}
