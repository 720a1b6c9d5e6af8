import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message } from '../../contract/index.ts'
import { setState, updateState } from '../updateState.ts'

const emptyState: ConversationState = { lastSeq: 0, readSeq: 0, unread: 0, revision: 0 }

/** How far the visitor has read. */
export class ReadState {
  readonly #messages: ReadonlySignal<readonly Message[]>
  readonly #onRead: (seq: number) => void
  readonly #readSeq = signal(0)
  /** The platform's state at the start. Its count includes messages that are not loaded. */
  readonly #initial = signal(emptyState)

  readonly readSeq: ReadonlySignal<number> = this.#readSeq
  readonly unread: ReadonlySignal<number> = computed(() =>
    countUnread(this.#messages.value, this.#readSeq.value, this.#initial.value),
  )

  /** `onRead` is called when the visitor has read messages in this tab. It reports that to the platform. */
  constructor(messages: ReadonlySignal<readonly Message[]>, onRead: (seq: number) => void) {
    this.#messages = messages
    this.#onRead = onRead
  }

  reset(state: ConversationState | null): void {
    updateState(() => {
      this.#initial.value = state ?? emptyState
      this.#readSeq.value = this.#initial.value.readSeq
    })
  }

  /** Marks all loaded messages as read and reports that to the platform. */
  markRead = (): void => {
    const seq = this.#messages.peek().at(-1)?.seq ?? 0
    if (seq <= this.#readSeq.peek()) return
    this.markReadUpTo(seq)
    this.#onRead(seq)
  }

  /** Marks messages as read that the visitor has read in this tab or elsewhere. */
  markReadUpTo(seq: number): void {
    setState(this.#readSeq, Math.max(this.#readSeq.peek(), seq))
  }
}

function countUnread(messages: readonly Message[], readSeq: number, initial: ConversationState): number {
  // Until the visitor reads more, messages that are not loaded may be unread: the platform's count includes them.
  const isLoaded = (messages[0]?.seq ?? Infinity) <= readSeq + 1 && (messages.at(-1)?.seq ?? 0) >= initial.lastSeq
  const [afterSeq, before] = readSeq === initial.readSeq && !isLoaded ? [initial.lastSeq, initial.unread] : [readSeq, 0]
  const isUnread = ({ seq, author, event, removedAt }: Message) =>
    seq > afterSeq && author !== 'visitor' && !event && !removedAt
  return before + messages.filter(isUnread).length
}
