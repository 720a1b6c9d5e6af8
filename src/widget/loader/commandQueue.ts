/** A call made before its answerer was there: `['auth.contacts.login', [{ token }], resolve, reject]`. */
type EarlyCall = [name: string, words: unknown[], resolve: (result: unknown) => void, reject: (cause: unknown) => void]

/**
 * Makes the calls that a page has kept, in order, and from then on each as it comes: a page may hold on to what has kept
 * them. Whatever is no array holds none.
 */
export function replayQueuedCalls(target: object, calls: unknown): void {
  if (!Array.isArray(calls)) return
  // Async: what is no call is told, and stops none behind it.
  const answer = async ([name, words, resolve, reject]: EarlyCall) => {
    const call = async () => {
      let member: unknown = target
      for (const key of name.split('.')) member = (member as Record<string, unknown>)[key]
      return (member as (...words: unknown[]) => unknown)(...words)
    }
    call().then(resolve, reject)
  }
  calls.forEach(answer)
  calls.push = answer as never
}
