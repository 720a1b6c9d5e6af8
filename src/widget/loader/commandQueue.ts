/** A call that a page made before the script was loaded, in the format of the README's snippet. */
type QueuedCall = [name: string, args: unknown[], resolve: (result: unknown) => void, reject: (cause: unknown) => void]

/**
 * Makes the queued calls in order. Later calls are made as soon as they are queued, because a page may keep references to
 * the snippet's functions. `queue` may be any value, because an element of the page can have that name.
 */
export function replayQueuedCalls(target: object, queue: unknown): void {
  if (!Array.isArray(queue)) return
  // Async, so that an invalid entry causes a rejection and doesn't stop the entries after it.
  const replay = async ([name, args, resolve, reject]: QueuedCall) => {
    const call = async () => {
      let member: unknown = target
      for (const key of name.split('.')) member = (member as Record<string, unknown>)[key]
      return (member as (...args: unknown[]) => unknown)(...args)
    }
    call().then(resolve, reject)
  }
  queue.forEach(replay)
  // Defined, not assigned: assigning fails where the page has frozen Array.prototype.
  Object.defineProperty(queue, 'push', { value: replay })
}
