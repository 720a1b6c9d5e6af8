import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Attachment } from '../../contract/index.ts'
import type { WritingMode } from './drafts.ts'
import { isTemporary } from './isTemporary.ts'

/** A reply or a note that the platform has not confirmed. */
export interface Unsent {
  id: string
  kind: WritingMode
  text: string
  attachments: Attachment[]
  /** The last message that the member had seen when it began to write. */
  knownSeq: number
  createdAt: string
  /** `waiting`: the platform could not be reached, so it is sent again. `failed`: the platform refuses it for good. */
  status: 'sending' | 'waiting' | 'failed'
}

export interface Outbox {
  /** In the order in which they are sent. */
  readonly unsent: ReadonlySignal<readonly Unsent[]>
  send(message: Omit<Unsent, 'status'>): void
  /** Removes messages, and returns them. */
  take(predicate: (message: Unsent) => boolean): Unsent[]
  dispose(): void
}

interface OutboxDeps {
  /** Sends a message and shows it. Repeating it is harmless. */
  post(message: Unsent): Promise<void>
  onSent(message: Unsent): void
  /** Called when the platform has refused a message. Returns whether the message has been dealt with. */
  onRefused(error: unknown, message: Unsent): boolean
  isConnected: ReadonlySignal<boolean>
}

const firstPauseMs = 1000
const longestPauseMs = 30_000

/** Sends one message at a time, in order. What could not be delivered is repeated until the platform has it or refuses it. */
export function createOutbox({ post, onSent, onRefused, isConnected }: OutboxDeps): Outbox {
  const unsent = signal<readonly Unsent[]>([])
  let isFlushing = false
  let pauseMs = firstPauseMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDisposed = false

  const mark = (id: string, status: Unsent['status']) => {
    unsent.value = unsent.peek().map(message => (message.id === id ? { ...message, status } : message))
  }

  async function flush() {
    clearTimeout(timer)
    if (isFlushing) return
    isFlushing = true
    while (!isDisposed) {
      const message = unsent.peek().find(({ status }) => status !== 'failed')
      if (!message) break
      mark(message.id, 'sending')
      try {
        await post(message)
        take(({ id }) => id === message.id)
        onSent(message)
        pauseMs = firstPauseMs
      } catch (error) {
        if (isTemporary(error)) {
          unsent.value = unsent.peek().map(each => (each.status === 'sending' ? { ...each, status: 'waiting' } : each))
          if (!isDisposed) timer = setTimeout(flush, pauseMs)
          pauseMs = Math.min(pauseMs * 2, longestPauseMs)
          break
        }
        if (!onRefused(error, message)) mark(message.id, 'failed')
      }
    }
    isFlushing = false
  }

  function take(predicate: (message: Unsent) => boolean): Unsent[] {
    const taken = unsent.peek().filter(predicate)
    unsent.value = unsent.peek().filter(message => !predicate(message))
    return taken
  }

  const stopWatching = effect(() => {
    if (isConnected.value) void flush()
  })

  return {
    unsent,
    send(message) {
      unsent.value = [...unsent.peek(), { ...message, status: 'sending' }]
      void flush()
    },
    take,
    dispose() {
      isDisposed = true
      stopWatching()
      clearTimeout(timer)
    },
  }
}
