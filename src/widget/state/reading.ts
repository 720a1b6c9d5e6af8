import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message } from '../../contract/index.ts'
import type { Doors, Scope } from './scope.ts'

/** How far the visitor has read. */
export interface Reading {
  readonly readSeq: ReadonlySignal<number>
  readonly unread: ReadonlySignal<number>
  begin(scope: Scope, state: ConversationState | null): void
  /** Read up to there, on another device. */
  advance(seq: number): void
  markRead(): void
}

const nothingYet: ConversationState = { lastSeq: 0, readSeq: 0, unread: 0 }

export function createReading({ wire }: Doors, messages: ReadonlySignal<readonly Message[]>): Reading {
  const readSeq = signal(0)
  /** What the platform said at the start; it knows of messages that are not loaded. */
  let base = nothingYet
  let scope: Scope | undefined

  const advance = (seq: number) => {
    readSeq.value = Math.max(readSeq.peek(), seq)
  }

  return {
    readSeq,
    unread: computed(() => {
      const [after, before] = readSeq.value === base.readSeq ? [base.lastSeq, base.unread] : [readSeq.value, 0]
      return before + messages.value.filter(({ seq, author }) => seq > after && author !== 'visitor').length
    }),
    begin(next, state) {
      scope = next
      base = state ?? nothingYet
      readSeq.value = base.readSeq
    },
    advance,
    markRead() {
      const last = messages.peek().at(-1)?.seq ?? 0
      if (!scope || last <= readSeq.peek()) return
      advance(last)
      void wire.markRead(scope, { seq: last })
    },
  }
}
