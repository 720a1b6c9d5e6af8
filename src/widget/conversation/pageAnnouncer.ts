import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import type { Deps } from './deps.ts'

/** Emits the events `message`, once for each new message, and `unread`, when the number changes. */
export class PageAnnouncer {
  readonly #emit: Deps['emit']
  readonly #unread: ReadonlySignal<number>
  /** Messages up to this `seq` have been emitted, or existed when the session was restored. */
  #announcedSeq = 0
  #announcedUnread = 0

  constructor({ emit, abortSignal }: Pick<Deps, 'emit' | 'abortSignal'>, unread: ReadonlySignal<number>) {
    this.#emit = emit
    this.#unread = unread
    // In a microtask, because an open panel marks a new message as read in the same task.
    const stop = effect(() => {
      unread.value
      queueMicrotask(() => this.#announceUnread())
    })
    abortSignal.addEventListener('abort', stop)
  }

  /** Skips messages up to `seq`. */
  startAfter(seq: number): void {
    this.#announcedSeq = seq
  }

  isNew({ seq }: Message): boolean {
    return seq > this.#announcedSeq
  }

  emitNew(messages: readonly Message[]): void {
    const fresh = messages.filter(message => this.isNew(message) && !message.event)
    this.#announcedSeq = Math.max(this.#announcedSeq, messages.at(-1)?.seq ?? 0)
    for (const message of fresh) if (!message.removedAt) this.#emit('message', message)
  }

  #announceUnread(): void {
    const count = this.#unread.peek()
    if (count === this.#announcedUnread) return
    this.#announcedUnread = count
    this.#emit('unread', { count })
  }
}
