import type { Message, WebhookEvent } from '../../../contract/index.ts'

/** An event of a conversation, without the fields that all events have. */
export type OutboxEvent = WebhookEvent extends infer Event
  ? Event extends { type: infer Type; data: infer Data }
    ? { type: Type } & Omit<Data, 'conversationId' | 'contact'>
    : never
  : never
/** An email to send about a conversation. What it says is read when it is sent. */
export type EmailRequest = UnreadRequest | ConfirmationRequest
/** It tells a visitor of unread messages. */
export interface UnreadRequest extends Pick<WebhookEvent, 'id' | 'botId' | 'createdAt'> {
  type: 'email.unread'
  data: { conversationId: string }
}
/** It asks the owner of an address to confirm that an anonymous visitor can be answered there. */
export interface ConfirmationRequest extends Pick<WebhookEvent, 'id' | 'botId' | 'createdAt'> {
  type: 'email.confirmation'
  data: { conversationId: string; emailHash: string }
}
/** Limits of a lease, so that a webhook that does not answer does not take all of them. */
export interface DeliveryLimits {
  all: number
  perQueue: number
  /** Queues to skip. */
  except: string[]
  /** Whether to lease emails, too. */
  emails: boolean
}
/** An event to deliver to a bot's events webhook, or an email to send. */
export interface LeasedDelivery {
  /** All emails have one queue. Each bot has a queue of its own for its events. */
  queue: string
  event: WebhookEvent | EmailRequest
  /** How often it has been leased, including this time. */
  attempt: number
}

/** The limits of emails about unread messages to one visitor. */
export interface EmailLimits {
  /** The most until the visitor reads or writes. */
  most: number
  /** The least time between two. */
  pauseMs: number
  /** Messages before this time are too old to tell of. */
  messagesAfter: string
}
/** What an email tells a visitor of. */
export interface UnreadEmail {
  to: string
  /** The language that the visitor's widget showed last; `null` if that is not known. */
  locale: string | null
  /** The last unread messages. */
  messages: Message[]
  /** How many are unread. */
  unread: number
}
/** Why a visitor gets no emails. */
export type EmailsEnded = 'unsubscribed' | 'refused'
/** A contact, or whoever has the conversation. */
export type EmailedVisitor = { contactId: string } | { conversationId: string }
/** What a link that ends emails leads to. */
export interface UnsubscribeLink {
  conversationId: string
  botId: string
  locale: string | null
  emailsEnded: EmailsEnded | null
}

/** The outbox: events that have not been delivered to bots' events webhooks yet, and emails that have not been sent yet. */
export interface DeliveryStore {
  /** Leases what is due, the oldest of each queue first, within the limits. */
  leaseDeliveries(owner: string, now: string, leaseUntil: string, limits: DeliveryLimits): Promise<LeasedDelivery[]>
  /** Records that the conversations have a page open. Only those with unread messages are changed. */
  recordPresence(conversationIds: string[], at: string): Promise<void>
  /**
   * Tells of each visitor whose messages have been unread since `unreadBefore` and who has had no page open since
   * `absentBefore`: of a contact with `message.unread`, once until it reads, and with `emails` by email. Resolves to whether
   * there are more of them.
   */
  enqueueUnreadNotices(state: {
    now: string
    unreadBefore: string
    absentBefore: string
    emails?: EmailLimits | undefined
  }): Promise<boolean>
  /**
   * Begins an attempt to send an email, which contains a link with this token. Resolves to what it tells; `null` if there is
   * nothing to tell any more, or the visitor gets no emails.
   */
  beginUnreadEmail(conversationId: string, link: { hash: string; at: string }): Promise<UnreadEmail | null>
  findUnsubscribeLink(hash: string): Promise<UnsubscribeLink | null>
  /** Ends the emails to a visitor, or allows them again (`null`); with `email` only if that still is the visitor's address. */
  setEmailsEnded(visitor: EmailedVisitor, reason: EmailsEnded | null, email?: string): Promise<void>
  /**
   * Records that an email is about to be sent. If it is not postponed after that, it is never due again, so that it is sent at most
   * once. Resolves to `false` if it was withdrawn, or `owner` does not hold the lease any more.
   */
  beginDelivery(deliveryId: string, owner: string, now: string): Promise<boolean>
  /** Removes a delivery that has arrived or is given up, if `owner` still holds the lease. */
  endDelivery(deliveryId: string, owner: string): Promise<void>
  /** Gives the lease up and makes the delivery due at `dueAt`, if `owner` still holds the lease. */
  postponeDelivery(deliveryId: string, owner: string, dueAt: string): Promise<void>
}
