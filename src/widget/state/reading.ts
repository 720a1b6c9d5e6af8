import { computed, createModel, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, EndReason, Message } from '../../contract/index.ts'
import type { Patience } from '../transport/patience.ts'
import type { Wire } from '../transport/wire.ts'
import type { Scope } from './session.ts'

/** How far the visitor has read. */
export interface Reading {
  readonly readSeq: ReadonlySignal<number>
  readonly unread: ReadonlySignal<number>
  begin(scope: Scope, state: ConversationState | null): void
  /** Read up to there, on another device. */
  advance(seq: number): void
  markRead(): void
}

export interface ReadingDoors {
  wire: Wire
  patience: Patience
  messages: ReadonlySignal<readonly Message[]>
  onEnded(scope: Scope, reason: EndReason): void
}

const nothingYet: ConversationState = { lastSeq: 0, readSeq: 0, unread: 0 }

const Model = createModel(({ wire, patience, messages, onEnded }: ReadingDoors) => {
  const readSeq = signal(0)
  /** What the platform said at the start; it knows of messages that are not loaded. */
  const base = signal(nothingYet)
  let scope: Scope | undefined
  let reporting: Scope | undefined

  /** Tells the platform; while it is being told, the last word is enough. */
  async function report(mine: Scope) {
    if (reporting === mine) return
    reporting = mine
    for (let told = 0, tries = 0; mine.token && told < readSeq.peek() && !mine.over.aborted; ) {
      const seq = readSeq.peek()
      const answer = await wire.markRead(mine.token, mine.over, seq)
      if (mine.over.aborted) return
      if (answer.ok) told = seq
      else if (answer.ended) return onEnded(mine, answer.ended)
      else if (!answer.transient) break
      else await patience.wait(tries++, mine.over, answer.retryAfterMs)
    }
    if (reporting === mine) reporting = undefined
  }

  const advance = (seq: number) => {
    readSeq.value = Math.max(readSeq.peek(), seq)
  }

  return {
    readSeq,
    unread: computed(() => {
      const still = readSeq.value === base.value.readSeq
      const after = still ? base.value.lastSeq : readSeq.value
      const later = messages.value.filter(({ seq, author }) => seq > after && author !== 'visitor')
      return (still ? base.value.unread : 0) + later.length
    }),
    begin(next: Scope, state: ConversationState | null) {
      scope = next
      base.value = state ?? nothingYet
      readSeq.value = base.peek().readSeq
    },
    advance,
    markRead() {
      const last = messages.peek().at(-1)?.seq ?? 0
      if (!scope || last <= readSeq.peek()) return
      advance(last)
      void report(scope)
    },
  }
})

export const createReading = (doors: ReadingDoors): Reading => new Model(doors)
