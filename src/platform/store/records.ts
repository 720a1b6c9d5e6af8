import type {
  Attributes,
  BotProfile,
  Contact,
  EndReason,
  Message,
  MessageWithContext,
  ResponderSettings,
  SigningSecrets,
  WebhookEvent,
} from '../../contract/index.ts'
import type { TextReplacements } from '../texts/english.ts'

export type NotFound = 'not_found'
export type KeyReused = 'key_reused'
/** A later attempt of the same request has been decided. */
export type Superseded = 'superseded'
/** Why a request with a key is not carried out. */
export type KeyRefused = KeyReused | Superseded

/** A request that is being answered. Created when the request arrives, and shared by all store calls that it causes. */
export interface RequestContext {
  /** Whose share of the store the calls use: an organization's, or the client address's until the organization is known. */
  owner: string
  /** Time until the request's deadline, in milliseconds; negative after it. */
  remainingMs(): number
}

/** A request that may be repeated and must have one effect. */
export interface IdempotentRequest {
  /** Hash of the operation and the client's key, which is valid within its bot. */
  keyHash: string
  /** Hash of the body. */
  bodyHash: string
  /** Grows with each attempt of the client; 0 if it does not number them. */
  attempt: number
  at: string
  /** Until when repetitions are recognized. */
  expiresAt: string
}
export interface EmailTaken {
  /** The other contact's id, only if it belongs to the same bot. */
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

/** A bot with its configuration. `isAllowedOrigin` explains the patterns of `origins`. */
export interface Bot extends Omit<BotProfile, 'agentPauseSeconds'> {
  organizationId: string
  origins: string[]
  responder: ResponderSettings
  /** The webhook that gets signed events. `authors`: also of the messages of others than visitors. */
  events: ({ url: string; authors?: 'all' } & SigningSecrets) | null
  limits: BotLimits
  /** What it says in place of the texts in its language. */
  texts: TextReplacements
  createdAt: string
}

/** The limits of one bot. For absent ones the node's defaults apply. */
export interface BotLimits {
  /** The responder's replies per day (UTC); by default there is no limit. */
  turnsPerDay?: number
  /** The responder's replies per minute. */
  turnsPerMinute?: number
  /** The responder's replies per minute to one conversation. */
  conversationTurnsPerMinute?: number
  /** New anonymous sessions per minute. */
  sessionsPerMinute?: number
  /** The largest file, in MiB. */
  attachmentMegabytes?: number
  /** MiB of files per day (UTC) of one conversation. */
  conversationMegabytesPerDay?: number
  /** MiB of files per day (UTC) of all conversations. */
  botMegabytesPerDay?: number
}
export type BotChanges = Partial<Omit<Bot, 'id' | 'organizationId' | 'visitors' | 'createdAt'>>

export interface OrganizationToken {
  hash: string
  /** The first characters, so that people can tell tokens apart. */
  prefix: string
  organizationId: string
  dev: boolean
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** A contact with its email key. */
export interface ContactRow extends Contact {
  emailKey: string
}
/**
 * Absent fields keep their values. `updatedAt` applies only if a field changes, and never sets a contact's own back: the
 * call may have waited while another one changed the contact.
 */
export interface ContactChanges {
  name?: string
  email?: string
  emailKey?: string
  phone?: string
  mid?: string
  wid?: string
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
 * What to search for, as `normalizeQuery` returns it. A contact matches if its normalized name contains `text.name`, one
 * of its other normalized fields contains `text.rest`, or the digits of its phone or wid contain `digits`, and if it also
 * matches each of `others`, perhaps in other fields. If both texts are `""`, all contacts match; a single `""` (a name of
 * combining marks only) matches no name.
 */
export interface SearchTerm {
  text: { name: string; rest: string }
  digits?: string
  others?: { name: string; rest: string; digits?: string }[]
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
  ended: { reason: EndReason; at: string } | null
}
export interface EndedSession {
  hash: string
  conversationId: string
  reason: EndReason
}

export interface ConversationRow {
  id: string
  /** The number of messages after `readSeq` that are neither the visitor's nor removed. */
  unread: number
  botId: string
  contact: { id: string; name: string } | null
  lastSeq: number
  readSeq: number
  /** Raised by every change of a stored message. */
  revision: number
  /** The language that the visitor's widget showed last, a BCP 47 tag; `null` if that is not known. */
  locale: string | null
}
/** How far a conversation has advanced. None of the numbers ever decreases. */
export interface Position {
  id: string
  lastSeq: number
  readSeq: number
  revision: number
}
export type ConversationKey = { conversationId: string } | { contactId: string }
/** The page begins after the conversation with this id and time of the last message. */
export interface ConversationPageStart {
  after?: { lastMessageAt: string; id: string }
  limit: number
}
export interface ContactExport {
  contact: Contact
  attributes: Attributes
  /** The language that the widget showed last; `null` if that is not known. */
  locale: string | null
  sessions: { createdAt: string; expiresAt: string; ended: SessionRow['ended'] }[]
  messages: MessageWithContext[]
}
/** A message that has no seq yet. */
export type NewMessage = Omit<Message, 'seq'>
/** The team takes a conversation over at `at`. If no agent has written by `until`, the responder answers again. */
export interface Handover {
  at: string
  until: string
}

/** Limits of a lease of events, so that a bot whose webhook does not answer does not take all of them. */
export interface DeliveryLimits {
  all: number
  perBot: number
  /** Bots to skip. */
  except: string[]
}

/** An event to deliver to a bot's events webhook. */
export interface LeasedDelivery {
  event: WebhookEvent
  /** How often it has been leased, including this time. */
  attempt: number
}

export interface PurgeLimits {
  now: string
  /**
   * Deletes sessions that were ended before this time, or expired before it, anonymous ones with their conversation, and
   * organization tokens revoked before it.
   */
  endedBefore: string
  /** Deletes the messages of conversations whose last message is older than this. */
  lastMessageBefore?: string
}

/** An event of a conversation, without the fields that all events have. */
export type OutboxEvent = WebhookEvent extends infer Event
  ? Event extends { type: infer Type; data: infer Data }
    ? { type: Type } & Omit<Data, 'conversationId' | 'contact'>
    : never
  : never
