// Everything that a tab sends or receives. A test decides when each part is delivered.

/** Runs `fn` later. Functions posted on one lane run in order. */
export type Post = (lane: string, fn: () => void) => void

/** Runs `fn` in the next microtask, for tests that don't control the order. */
export const promptly: Post = (_, fn) => queueMicrotask(fn)

export function createTraffic() {
  const lanes = new Map<string, (() => void)[]>()
  const connections = new Set<AbortController>()
  let made = 0

  const post: Post = (lane, fn) => {
    const before = lanes.get(lane)
    if (before) before.push(fn)
    else lanes.set(lane, [fn])
  }

  const traffic = {
    post,
    down: false,
    /** The number of lanes with undelivered functions. */
    get waiting() {
      return lanes.size
    },
    isWaiting: (lane: string): boolean => lanes.has(lane),
    /** Runs the first function of one lane. `choice` selects the lane. */
    deliver(choice: number) {
      const next = [...lanes]
      const [lane, line] = next[choice % next.length] ?? ['', []]
      const [fn, ...rest] = line
      if (rest.length) lanes.set(lane, rest)
      else lanes.delete(lane)
      fn?.()
    },
    /** Breaks every connection. Requests fail until `down` is false again. */
    cut() {
      traffic.down = true
      for (const connection of [...connections]) connection.abort()
    },
    /** Wraps `fetch`: request, response and each piece of a body are delivered one by one. */
    fetch: (fetch: typeof globalThis.fetch) =>
      (async (url: string, init: RequestInit = {}) => {
        const connection = new AbortController()
        const lane = `connection ${made++}`
        connections.add(connection)
        if (init.signal?.aborted) connection.abort()
        init.signal?.addEventListener('abort', () => connection.abort())
        const { signal } = connection
        signal.addEventListener('abort', () => {
          lanes.delete(lane)
          connections.delete(connection)
        })
        const hop = <Value>(fn: () => Value | Promise<Value>) =>
          new Promise<Value>((resolve, reject) => {
            const fail = () => reject(new TypeError('Failed to fetch'))
            if (signal.aborted) return fail()
            signal.addEventListener('abort', fail)
            post(lane, () => {
              if (traffic.down) connection.abort()
              // Call `fn` now: a moment later the request may have been aborted, and its stream would stay open.
              else resolve(fn())
            })
          })
        const nothing = () => {}
        const response = await hop(() => fetch(url, { ...init, signal }))
        await hop(nothing)
        const reader = response.body?.getReader()
        const read = async () => {
          const piece = await reader?.read()
          await hop(nothing)
          return piece
        }
        return reader ? { ...response, body: { getReader: () => ({ read }) } } : response
      }) as unknown as typeof globalThis.fetch,
  }
  return traffic
}
export type Traffic = ReturnType<typeof createTraffic>
