import { createModel, type ReadonlySignal, signal } from '@preact/signals-core'
import type { StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'

/** A reply that is being streamed. */
export interface PartialReply {
  id: string
  text: string
}

/** What is there for a moment only: the reply that is coming, and who is typing. */
export interface Live {
  readonly partial: ReadonlySignal<PartialReply | null>
  readonly typing: ReadonlySignal<'bot' | 'agent' | null>
  delta(data: Extract<StreamEvent, { event: 'message.delta' }>['data']): void
  typingBy(author: 'bot' | 'agent'): void
  /** The reply of that id has been stored, or won't come. */
  drop(id: string): void
  /** Nobody is typing any more. */
  quiet(): void
  clear(): void
}

const silenceMs = 30_000
const typingMs = 8000

const Model = createModel((clock: Clock) => {
  const partial = signal<PartialReply | null>(null)
  const typing = signal<'bot' | 'agent' | null>(null)
  let forgetPartial = () => {}
  let forgetTyping = () => {}

  function setPartial(next: PartialReply | null) {
    forgetPartial()
    partial.value = next
    if (next) forgetPartial = clock.after(silenceMs, () => setPartial(null))
  }

  function setTyping(next: 'bot' | 'agent' | null) {
    forgetTyping()
    typing.value = next
    if (next) forgetTyping = clock.after(typingMs, () => setTyping(null))
  }

  return {
    partial,
    typing,
    delta({ id, offset, text }: { id: string; offset: number; text: string }) {
      const known = partial.peek()?.id === id ? (partial.peek()?.text ?? '') : ''
      // A gap: the stored message will fill it. Text that is known already comes again after a reconnect.
      if (offset > known.length || offset + text.length < known.length) return
      setTyping(null)
      setPartial({ id, text: known.slice(0, offset) + text })
    },
    typingBy: setTyping,
    drop(id: string) {
      if (partial.peek()?.id === id) setPartial(null)
    },
    quiet() {
      setTyping(null)
    },
    clear() {
      setTyping(null)
      setPartial(null)
    },
  }
})

export const createLive = (clock: Clock): Live => new Model(clock)
