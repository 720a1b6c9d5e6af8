import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Message } from '../../../contract/index.ts'
import type { Deps } from '../session/sessionScope.ts'

/** Tells the page of new messages and of the number of unread ones, each once. */
export class PageAnnouncer {
  readonly #emit: Deps['emit']
  readonly #unread: ReadonlySignal<number>
  /** Messages up to here have been announced, or were there before the page listened. */
  #announcedSeq = 0
  #announcedUnread = 0

  constructor({ emit, abortSignal }: Pick<Deps, 'emit' | 'abortSignal'>, unread: ReadonlySignal<number>) {
    this.#emit = emit
    this.#unread = unread
    // Deferred: a message that arrives in an open panel is marked as read in the same task.
    const stop = effect(() => {
      unread.value
      queueMicrotask(() => this.#announceUnread())
    })
    abortSignal.addEventListener('abort', stop)
  }

  /** Messages up to `seq` are not to be announced. */
  startAfter(seq: number): void {
    this.#announcedSeq = seq
  }

  isNew({ seq }: Message): boolean {
    return seq > this.#announcedSeq
  }

  emitNew(messages: readonly Message[]): void {
    const fresh = messages.filter(message => this.isNew(message))
    this.#announcedSeq = Math.max(this.#announcedSeq, messages.at(-1)?.seq ?? 0)
    for (const message of fresh) this.#emit('message', message)
  }

  #announceUnread(): void {
    const count = this.#unread.peek()
    if (count === this.#announcedUnread) return
    this.#announcedUnread = count
    this.#emit('unread', { count })
  }
}
