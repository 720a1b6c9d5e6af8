import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message } from '../../../contract/index.ts'

/** How far the visitor has read. */
export interface ReadState {
  readonly readSeq: ReadonlySignal<number>
  readonly unread: ReadonlySignal<number>
  /** Marks everything that is loaded as read, and tells the platform. */
  markRead(): void
  begin(state: ConversationState | null): void
  /** Read up to there, here or on another device. */
  markReadUpTo(seq: number): void
}

const nothingYet: ConversationState = { lastSeq: 0, readSeq: 0, unread: 0 }

export function createReadState(
  messages: ReadonlySignal<readonly Message[]>,
  report: (seq: number) => void,
): ReadState {
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
    markRead() {
      const seq = messages.peek().at(-1)?.seq ?? 0
      if (seq <= readSeq.peek()) return
      readSeq.value = seq
      report(seq)
    },
    markReadUpTo(seq) {
      readSeq.value = Math.max(readSeq.peek(), seq)
    },
  }
}
