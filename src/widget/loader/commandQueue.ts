/** A call that a page made before the widget was there, as the README's snippet keeps it. */
type QueuedCall = [name: string, args: unknown[], resolve: (result: unknown) => void, reject: (cause: unknown) => void]

/**
 * Makes the calls that a page has queued, in order, and from then on each as it is queued: a page may hold on to the
 * snippet's functions. `queue` may be anything, because an element of the page can stand in its place.
 */
export function replayQueuedCalls(target: object, queue: unknown): void {
  if (!Array.isArray(queue)) return
  // Async, so that an entry that is no call is reported as an error and doesn't stop the ones after it.
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
