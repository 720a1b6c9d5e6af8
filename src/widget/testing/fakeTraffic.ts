// All that is on its way between a tab and the world, delivered when a test says so: for tests.

/** Does something later; what is posted on one lane comes in its order. */
export type Post = (lane: string, fn: () => void) => void

/** What an event loop would bring at once. */
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
    /** Lanes on which something waits. */
    get waiting() {
      return lanes.size
    },
    /** Lets one thing arrive: which, `choice` says. */
    deliver(choice: number) {
      const next = [...lanes]
      const [lane, line] = next[choice % next.length] ?? ['', []]
      const [fn, ...rest] = line
      if (rest.length) lanes.set(lane, rest)
      else lanes.delete(lane)
      fn?.()
    },
    /** Breaks every connection; who asks meanwhile gets no answer. */
    cut() {
      traffic.down = true
      for (const connection of [...connections]) connection.abort()
    },
    /** Requests that arrive late, answers that come late or never, streams in pieces. */
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
              // At once: a moment later it may have been called off, and a stream would stay open.
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
