import type {
  BotProfile,
  Contact,
  EndReason,
  Message,
  ResponderSettings,
  SigningSecrets,
  WebhookEvent,
} from '../../contract/index.ts'

export type NotFound = 'not_found'
export type KeyReused = 'key_reused'

/** A request that may come twice and must count once. */
export interface IdempotentRequest {
  /** Hash of the organization, the bot, the operation and the client's key. */
  keyHash: string
  /** Hash of the body. */
  bodyHash: string
  at: string
  /** Until when a repetition is known as one. */
  expiresAt: string
}
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
export interface Bot extends BotProfile {
  organizationId: string
  origins: string[]
  responder: ResponderSettings
  /** Where the organization is told of what happens, signed. */
  events: ({ url: string } & SigningSecrets) | null
  /** Most answers of the responder in a day (UTC), or `null`. */
  turnsPerDay: number | null
  createdAt: string
}
export type BotChanges = Partial<Omit<Bot, 'id' | 'organizationId' | 'createdAt'>>

export interface OrganizationToken {
  hash: string
  /** The first characters, by which people tell tokens apart. */
  prefix: string
  organizationId: string
  dev: boolean
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** A contact with its email's key; the normalized search text is the store's own business. */
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
 * What `normalizeQuery` makes of a query: a contact matches whose normalized name holds `text.name`, whose other normalized fields
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
  id: string
  /** Messages by others than the visitor after `readSeq`. */
  unread: number
  botId: string
  contact: { id: string; name: string } | null
  lastSeq: number
  readSeq: number
}
/** How far a conversation has come; neither seq ever falls. */
export interface Position {
  id: string
  lastSeq: number
  readSeq: number
}
export type ConversationKey = { conversationId: string } | { contactId: string }
/** The page begins after the conversation of this id whose last message is of that time. */
export interface ConversationPageStart {
  after?: { lastMessageAt: string; id: string }
  limit: number
}
export interface ContactExport {
  contact: Contact
  sessions: { createdAt: string; expiresAt: string; ended: SessionRow['ended'] }[]
  messages: Message[]
}
/** A message before its seq is known. */
export type NewMessage = Omit<Message, 'seq'>

/** A turn to answer. */
export interface LeasedTurn {
  conversationId: string
  botId: string
  contact: { id: string; name: string } | null
  /** The last messages, `maxHistory` at most, ascending, but those of the visitor that no answer has covered at the end. */
  messages: Message[]
  /** How often it has been leased, this time included. */
  attempt: number
  /** How many turns were begun in the minute and in the day (UTC) that end with this one, itself included. */
  begun: { ofConversation: number; ofBot: number; ofBotToday: number }
}

/** How many events are leased at once; a bot whose webhook does not answer must not take them all. */
export interface DeliveryLimits {
  all: number
  perBot: number
  /** Bots that get none. */
  except: string[]
}

/** What a bot's events webhook is to be told. */
export interface LeasedDelivery {
  event: WebhookEvent
  /** How often it has been leased, this time included. */
  attempt: number
}

export interface PurgeLimits {
  now: string
  /** Sessions that expired before it go, anonymous conversations with them, and organization tokens revoked before it. */
  endedBefore: string
  /** Messages of conversations whose last message is older go, where given. */
  silentSince?: string
}

/** What may happen so often in a window, and for how many times that wait permits are taken at least. */
export interface QuotaRequest {
  quota: number
  windowMs: number
  wanted: number
}

/** What was taken, how much is left for others, and how long the window still is. */
export interface QuotaGrant {
  granted: number
  left: number
  resetMs: number
}

/** What is told of a conversation, but for what every event says. */
export type OutboxEvent = WebhookEvent extends infer Event
  ? Event extends { type: infer Type; data: infer Data }
    ? { type: Type } & Omit<Data, 'conversationId' | 'contact'>
    : never
  : never
