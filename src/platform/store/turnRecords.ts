import type { MessageWithContext } from '../../contract/index.ts'

/** A turn to answer. */
export interface LeasedTurn {
  conversationId: string
  botId: string
  contact: { id: string; name: string } | null
  /** The language that the visitor's widget showed last, a BCP 47 tag; `null` if that is not known. */
  locale: string | null
  /** The last messages, at most `maxHistory`, in ascending order, with the visitor's unanswered ones at the end. */
  messages: MessageWithContext[]
  /** How often it has been leased, including this time. */
  attempt: number
  /** The id of the reply, a new one for each lease. */
  replyId: string
  /** The reply that the former owner of the lease has begun and not stored, and whether the visitor has stopped that one. */
  formerReplyId: string | null
  isStopped: boolean
  recentTurns: RecentTurns
}

/**
 * How many turns began in the last minute, including this one: in this conversation, of the bot, of its anonymous
 * visitors, and of the visitors with the same source. `ofBotToday` counts those of the day (UTC).
 */
export interface RecentTurns {
  ofConversation: number
  ofBot: number
  ofAnonymous: number
  ofSource: number
  ofBotToday: number
  /** How many conversations these turns belong to. */
  conversations: { ofBot: number; ofAnonymous: number; ofSource: number }
}

/** What has become of the lease of a turn. */
export type LeaseState = 'held' | 'stopped' | 'lost'
