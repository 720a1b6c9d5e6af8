import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { Message, StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'

/** A reply that is being streamed. */
export interface PartialReply {
  id: string
  text: string
  format?: Message['format'] | undefined
}

/** What is there for a moment only: the reply that is coming, and who is typing. */
export interface Live {
  readonly partial: ReadonlySignal<PartialReply | null>
  readonly typing: ReadonlySignal<'bot' | 'agent' | null>
  delta(data: Extract<StreamEvent, { event: 'message.delta' }>['data']): void
  setTyping(author: 'bot' | 'agent' | null): void
  /** The reply of that id has been stored, or won't come. */
  drop(id: string): void
  clear(): void
}

const silenceMs = 30_000
const typingMs = 8000

export function createLive({ after }: Clock): Live {
  const [partial, setPartial] = fading<PartialReply>(silenceMs)
  const [typing, setTyping] = fading<'bot' | 'agent'>(typingMs)

  /** A signal that is empty again after a time. */
  function fading<T>(ms: number): [Signal<T | null>, (value: T | null) => void] {
    const value = signal<T | null>(null)
    let calledOff = () => {}
    const set = (next: T | null) => {
      calledOff()
      value.value = next
      if (next) calledOff = after(ms, () => set(null))
    }
    return [value, set]
  }

  return {
    partial,
    typing,
    delta({ id, offset, text, format }) {
      const now = partial.peek()
      const known = now?.id === id ? now.text : ''
      // A gap: the stored message will fill it. Text that is known already comes again after a reconnect.
      if (offset > known.length || offset + text.length < known.length) return
      setTyping(null)
      setPartial({ id, text: known.slice(0, offset) + text, format })
    },
    setTyping,
    drop(id) {
      if (partial.peek()?.id === id) setPartial(null)
    },
    clear() {
      setPartial(null)
      setTyping(null)
    },
  }
}
