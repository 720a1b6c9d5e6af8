import type { DeskEvent, MemberSummary } from '../../contract/desk.ts'
import type { EndReason, StreamEvent } from '../../contract/index.ts'

/** Events are hints: losing, repeating or reordering them must not lose, repeat or reorder data. */
export type BusEvent =
  | { type: 'stored' }
  /** A stored message has been changed. */
  | { type: 'changed' }
  | { type: 'ended'; hash: string; reason: EndReason | 'blocked' }
  /** A stream has opened: a node that is streaming a reply sends it again from offset 0. */
  | { type: 'joined' }
  /** An agent has taken over: a node that is streaming a reply stops at once. */
  | { type: 'taken_over' }
  /** The visitor has asked for a person: a node that is streaming a reply stops at once. */
  | { type: 'handed_over' }
  /** The visitor has stopped the reply: the node that is streaming it stores what it has. */
  | { type: 'stopped'; replyId: string }
  /** The conversation or one of its messages is deleted: a node that is streaming a reply stops at once. */
  | { type: 'erased' }
  /** On the subject of a bot: the desk shows something of the conversation that has changed. */
  | { type: 'conversation'; conversationId: string }
  /** On the subject of a team, like the next: what the desks of those who see the bot show for some seconds. */
  | { type: 'typing'; botId: string; typing: DeskTyping }
  /** What a member looks at. The node that has the stream of the page repeats it. */
  | { type: 'viewing'; viewing: Viewing }
  /** To be sent to the open streams as it is. Streams find only `read` in the store, too. */
  | {
      type: 'forward'
      streamEvent: Extract<StreamEvent, { event: 'message.delta' | 'message.aborted' | 'typing' | 'read' }>
    }

type DeskTyping = Extract<DeskEvent, { event: 'typing' }>['data']

/** The conversation that a member looks at on one page; `null` if it looks at none. */
export interface Viewing {
  /** The member and the page. */
  viewer: string
  member: MemberSummary
  conversation: { id: string; botId: string } | null
}

/**
 * The port to what carries events within a node and between nodes. One subject per conversation and one per session; for the desk,
 * one per bot and one per team.
 */
export interface Bus {
  publish(subject: string, event: BusEvent): void
  /** Returns a function that unsubscribes. */
  subscribe(subject: string, listener: (event: BusEvent) => void): () => void
  /** For the metrics; only a bus between nodes has it. */
  state?(): BusState
  /** Calling it again does nothing. */
  close(): Promise<void>
}

export interface BusState {
  isConnected: boolean
  /** Events sent to and received from other nodes since the start. */
  published: number
  received: number
}
