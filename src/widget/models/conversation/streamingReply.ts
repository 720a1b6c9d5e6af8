import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { Message, StreamEvent } from '../../../contract/index.ts'
import type { Clock } from '../../app/environment.ts'

/** A reply that is being streamed. */
export interface StreamingState {
  id: string
  text: string
  format?: Message['format'] | undefined
}

/** What is there for a moment only: the reply that is coming, and who is typing. */
export interface StreamingReply {
  readonly streaming: ReadonlySignal<StreamingState | null>
  readonly typing: ReadonlySignal<'bot' | 'agent' | null>
  delta(data: Extract<StreamEvent, { event: 'message.delta' }>['data']): void
  setTyping(author: 'bot' | 'agent' | null): void
  /** The reply of that id has been stored, or won't come. */
  drop(id: string): void
  clear(): void
}

const silenceMs = 30_000
const typingMs = 8000

export function createStreamingReply({ setTimeout }: Clock): StreamingReply {
  const [streaming, setStreaming] = expiringSignal<StreamingState>(silenceMs)
  const [typing, setTyping] = expiringSignal<'bot' | 'agent'>(typingMs)

  /** A signal that is empty again after a time. */
  function expiringSignal<T>(ms: number): [Signal<T | null>, (value: T | null) => void] {
    const value = signal<T | null>(null)
    let cancelTimer = () => {}
    const set = (next: T | null) => {
      cancelTimer()
      value.value = next
      if (next) cancelTimer = setTimeout(() => set(null), ms)
    }
    return [value, set]
  }

  return {
    streaming,
    typing,
    delta({ id, offset, text, format }) {
      const now = streaming.peek()
      const known = now?.id === id ? now.text : ''
      // A gap: the stored message will fill it. Text that is known already comes again after a reconnect.
      if (offset > known.length || offset + text.length < known.length) return
      setTyping(null)
      setStreaming({ id, text: known.slice(0, offset) + text, format })
    },
    setTyping,
    drop(id) {
      if (streaming.peek()?.id === id) setStreaming(null)
    },
    clear() {
      setStreaming(null)
      setTyping(null)
    },
  }
}
