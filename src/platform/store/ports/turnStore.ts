import type { Message, MessageWithContext } from '../../../contract/index.ts'
import type { Handover, NewMessage } from './conversationStore.ts'

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
  /** The id of a reply that the former owner of the lease has begun and not stored. */
  formerReplyId: string | null
  /** Whether the visitor has stopped that reply. */
  isStopped: boolean
  recentTurns: RecentTurns
}

/**
 * How many turns began in the last minute, including this one: in this conversation, and of the bot. `ofBotToday` counts those
 * of the day (UTC).
 */
export interface RecentTurns {
  ofConversation: number
  ofBot: number
  ofBotToday: number
}

/** How a turn ends. */
export interface TurnEnd {
  reply?: NewMessage | undefined
  /** Whether the turn was over a limit. It is then not counted, so that refused turns do not use up the limit. */
  refused?: boolean
  /** Hands the conversation over after the reply, as `requestHandover` does. */
  handover?: Handover | undefined
}

/** Turns that the responder still has to answer. A node leases a turn before it answers it. */
export interface TurnStore {
  /** Leases up to `limit` turns that nobody holds a lease on, the oldest first, and none of the bots that are full. */
  leaseTurns(owner: string, now: string, leaseUntil: string, limit: number, fullBots?: string[]): Promise<LeasedTurn[]>
  /**
   * Extends leases, and resolves to the state of each. `stopped`: the visitor has stopped the reply. `lost`: the lease is
   * lost, and the owner must stop.
   */
  renewTurns(
    held: [conversationId: string, owner: string][],
    leaseUntil: string,
  ): Promise<('held' | 'stopped' | 'lost')[]>
  /**
   * Stops the reply with that id in the conversation of an open session. Resolves to whether its turn is leased: then the
   * owner of the lease is to store what has been written. A turn that waits for another attempt ends at once.
   */
  stopTurn(hash: string, replyId: string, at: string): Promise<boolean | 'ended'>
  /**
   * Gives an unfinished turn back if `owner` still holds the lease: another node can lease it at once. The attempt does not
   * count.
   */
  giveBackTurn(conversationId: string, owner: string): Promise<void>
  /**
   * Ends the turn if `owner` still holds the lease: `lost` if not. Messages that arrived meanwhile form the next turn.
   * Resolves to the reply as it is stored, which has a new id if another message has its id; `no_reply` without one.
   */
  endTurn(conversationId: string, owner: string, end?: TurnEnd): Promise<Message | 'no_reply' | 'lost'>
}
