/** A call made before its answerer was there: `['auth.contacts.login', [{ token }], resolve, reject]`. */
type EarlyCall = [name: string, words: unknown[], resolve: (result: unknown) => void, reject: (cause: unknown) => void]

/**
 * Makes the calls that a page has kept, in order, in the array `q` of what stood in the place of `target`.
 * Whatever else stood there (an element with that id is a global, too) has none.
 */
export function answerCalls(target: object, before: unknown): void {
  const calls = (before as { q?: unknown } | null | undefined)?.q
  if (!Array.isArray(calls)) return
  for (const [name, words, resolve, reject] of calls as EarlyCall[]) {
    const answer = async () => {
      let member: unknown = target
      for (const key of name.split('.')) member = (member as Record<string, unknown>)[key]
      return (member as (...words: unknown[]) => unknown)(...words)
    }
    answer().then(resolve, reject)
  }
}
