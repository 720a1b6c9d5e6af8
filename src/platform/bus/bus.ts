import type { EndReason, StreamEvent } from '../../contract/index.ts'

/** Wake-ups and ephemeral events. A hint only: a lost, doubled or reordered one loses, doubles and reorders nothing. */
export type BusEvent =
  | { type: 'stored' }
  | { type: 'ended'; hash: string; reason: EndReason }
  /** A stream has opened: whoever is answering sends the reply so far, at offset 0. */
  | { type: 'joined' }
  /** An agent has taken over: whoever is answering stops at once. */
  | { type: 'taken' }
  /** The conversation is no more: whoever is answering stops at once. */
  | { type: 'erased' }
  | {
      type: 'ephemeral'
      event: Extract<StreamEvent, { event: 'message.delta' | 'message.aborted' | 'typing' | 'read' }>
    }

/** The port to whatever carries events between the parts, and later the nodes, of a platform. One subject a conversation, and one a session. */
export interface Bus {
  publish(subject: string, event: BusEvent): void
  /** Returns its undo. */
  subscribe(subject: string, listener: (event: BusEvent) => void): () => void
  /** For the operator; only of a bus between nodes. */
  state?(): BusState
  close(): Promise<void>
}

export interface BusState {
  isConnected: boolean
  /** Events handed to other nodes, and taken from them, since the start. */
  published: number
  received: number
}
