/** Delivers one message after the other. A delivery that takes long may let the next one begin. */
export class SendQueue {
  readonly #onLateEnd: () => void
  #ids = new Set<string>()

  /** `onLateEnd` is called when a delivery ends that has let the next one begin. */
  constructor(onLateEnd: () => void) {
    this.#onLateEnd = onLateEnd
  }

  /** Forgets the deliveries of the former session, which end by themselves. */
  reset(): void {
    this.#ids = new Set()
  }

  /** Whether the message with this id is being delivered. */
  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Resolves when the next delivery may begin. Rejects if this one has failed by then. */
  run(id: string, deliver: (letNextBegin: () => void) => Promise<void>): Promise<void> {
    const ids = this.#ids
    ids.add(id)
    return new Promise((resolve, reject) => {
      let isLate = false
      const letNextBegin = () => {
        isLate = true
        resolve()
      }
      const delivery = deliver(letNextBegin).finally(() => ids.delete(id))
      delivery.then(
        () => (isLate ? this.#onLateEnd() : resolve()),
        error => (isLate ? reportError(error) : reject(error)),
      )
    })
  }
}
