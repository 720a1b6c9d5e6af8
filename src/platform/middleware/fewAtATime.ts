/** How many may run for one key, and how many may wait for them. */
const [maxRunning, maxWaiting] = [4, 100]

interface Line {
  running: number
  waiting: (() => void)[]
}

/**
 * Returns a function that waits for its turn among those with the same key. It resolves to a function that gives the turn to
 * the next one, or to `undefined` if too many wait already.
 */
export function createFewAtATime(): (key: string) => Promise<(() => void) | undefined> {
  const lines = new Map<string, Line>()
  return async key => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running < maxRunning) line.running++
    else if (line.waiting.length < maxWaiting) await new Promise<void>(resolve => void line.waiting.push(resolve))
    else return undefined
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      const next = line.waiting.shift()
      if (next) next()
      else if (--line.running === 0) lines.delete(key)
    }
  }
}
