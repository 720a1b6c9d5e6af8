import type { WebhookEvent } from '../../../contract/index.ts'

/** An event of a conversation, without the fields that all events have. */
export type OutboxEvent = WebhookEvent extends infer Event
  ? Event extends { type: infer Type; data: infer Data }
    ? { type: Type } & Omit<Data, 'conversationId' | 'contact'>
    : never
  : never
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

/** The outbox: events that have not been delivered to bots' events webhooks yet. */
export interface DeliveryStore {
  /** Leases due events, the oldest of each bot first, within the limits. */
  leaseDeliveries(owner: string, now: string, leaseUntil: string, limits: DeliveryLimits): Promise<LeasedDelivery[]>
  /** Records that the conversations have a page open. Only those with unread messages are changed. */
  recordPresence(conversationIds: string[], at: string): Promise<void>
  /**
   * Enqueues `message.unread` for each contact whose messages have been unread since `unreadBefore` and who has had no page
   * open since `absentBefore`: once until the contact reads. Resolves to whether there are more of them.
   */
  enqueueUnreadNotices(state: { now: string; unreadBefore: string; absentBefore: string }): Promise<boolean>
  /** Removes a delivery that has arrived or is given up, if `owner` still holds the lease. */
  endDelivery(deliveryId: string, owner: string): Promise<void>
  /** Gives the lease up and makes the delivery due at `dueAt`, if `owner` still holds the lease. */
  postponeDelivery(deliveryId: string, owner: string, dueAt: string): Promise<void>
}
