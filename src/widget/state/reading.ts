import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message } from '../../contract/index.ts'

/** How far the visitor has read. */
export interface Reading {
  readonly readSeq: ReadonlySignal<number>
  readonly unread: ReadonlySignal<number>
  begin(state: ConversationState | null): void
  /** Read up to there, here or on another device. */
  advance(seq: number): void
}

const nothingYet: ConversationState = { lastSeq: 0, readSeq: 0, unread: 0 }

export function createReading(messages: ReadonlySignal<readonly Message[]>): Reading {
  const readSeq = signal(0)
  /** What the platform said at the start; it knows of messages that are not loaded. */
  let base = nothingYet
  return {
    readSeq,
    unread: computed(() => {
      const [after, before] = readSeq.value === base.readSeq ? [base.lastSeq, base.unread] : [readSeq.value, 0]
      return before + messages.value.filter(({ seq, author }) => seq > after && author !== 'visitor').length
    }),
    begin(state) {
      base = state ?? nothingYet
      readSeq.value = base.readSeq
    },
    advance(seq) {
      readSeq.value = Math.max(readSeq.peek(), seq)
    },
  }
}
