import type { Message } from '../../contract/index.ts'
import type { Deps } from './deps.ts'

/** Emits the event `message` once for each new message. */
export class PageAnnouncer {
  readonly #emit: Deps['emit']
  /** Messages up to this `seq` have been emitted, or existed when the session was restored. */
  #announcedSeq = 0

  constructor(emit: Deps['emit']) {
    this.#emit = emit
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
}
