// In-memory locks and channels of an origin, and tabs that freeze and die.

import type { Page } from '../environment/page.ts'
import type { Post } from './fakeTraffic.ts'

/** The lifecycle of a tab. A frozen tab does nothing until it thaws; a dead one never does anything again. */
export function createLife() {
  /** Work that waits for `thaw()`. `undefined` unless the tab is frozen. */
  let deferred: (() => void)[] | undefined
  const end = new AbortController()
  const run = (fn: () => void) => {
    if (end.signal.aborted) return
    if (deferred) deferred.push(fn)
    else fn()
  }
  /** Delays the result of a promise while the tab is frozen, and drops it when the tab is dead. */
  const gate = <Value>(promise: Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      promise.then(
        value => run(() => resolve(value)),
        error => run(() => reject(error)),
      )
    })
  return {
    end: end.signal,
    run,
    gate,
    /** Wraps `fetch`, so that this tab's requests are aborted when it dies. */
    fetch: (fetch: typeof globalThis.fetch) =>
      (async (url: string, init: RequestInit = {}) => {
        const either = new AbortController()
        for (const signal of [end.signal, init.signal]) {
          if (signal?.aborted) either.abort(signal.reason)
          signal?.addEventListener('abort', () => either.abort(signal.reason))
        }
        const response = await gate(fetch(url, { ...init, signal: either.signal }))
        const reader = response.body?.getReader()
        return reader ? { ...response, body: { getReader: () => ({ read: () => gate(reader.read()) }) } } : response
      }) as typeof globalThis.fetch,
    get frozen() {
      return deferred !== undefined
    },
    freeze() {
      deferred ??= []
    },
    thaw() {
      const waiting = deferred ?? []
      deferred = undefined
      for (const fn of waiting) run(fn)
    },
    die: () => end.abort(),
  }
}
export type Life = ReturnType<typeof createLife>

interface LockRequest {
  to: string
  life: Life
  name: string
  grant(): Promise<void>
  resolve(): void
  reject(reason: unknown): void
}

/** The locks and channels that the tabs of an origin share. */
export function createFakeOrigin(post: Post) {
  const held = new Map<string, LockRequest>()
  const waiting: LockRequest[] = []
  const channels = new Set<{ name: string; to: string; life: Life; onMessage(message: unknown): void }>()

  /** Grants a free lock to the next request for it. */
  function grantNext(name: string) {
    const next = held.has(name) ? undefined : waiting.find(request => request.name === name)
    if (!next) return
    waiting.splice(waiting.indexOf(next), 1)
    held.set(name, next)
    post(`locks of ${next.to}`, () =>
      next.life.run(() => {
        const release = () => {
          if (held.get(name) === next) held.delete(name)
          grantNext(name)
        }
        next.grant().finally(release).then(next.resolve, next.reject)
      }),
    )
  }

  function request(to: string, life: Life, name: string, signal: AbortSignal, grant: () => Promise<void>) {
    return new Promise<void>((resolve, reject) => {
      // Code of a dead tab may still run, but it must not get a lock that nobody would release.
      if (life.end.aborted) return
      if (signal.aborted) return reject(new DOMException('Aborted', 'AbortError'))
      const own: LockRequest = { to, life, name, grant, resolve, reject }
      waiting.push(own)
      signal.addEventListener('abort', () => {
        // Aborting has no effect once the lock is granted.
        if (!waiting.includes(own)) return
        waiting.splice(waiting.indexOf(own), 1)
        reject(new DOMException('Aborted', 'AbortError'))
      })
      grantNext(name)
    })
  }

  return {
    /** The names of the locks that are held. */
    held: () => [...held.keys()],
    /** Open channels. */
    channels,
    openTab(tab: string, life: Life): Pick<Page, 'openChannel' | 'withLock'> {
      life.end.addEventListener('abort', () => {
        for (const channel of [...channels]) if (channel.life === life) channels.delete(channel)
        for (const request of [...waiting]) if (request.life === life) waiting.splice(waiting.indexOf(request), 1)
        for (const [name, { life: holder }] of [...held]) {
          if (holder !== life) continue
          held.delete(name)
          grantNext(name)
        }
      })
      return {
        withLock: (name, signal, fn) =>
          request(tab, life, name, signal, async () => void (await fn(true))).catch(() => {}),
        openChannel<Message>(name: string, onMessage: (message: Message) => void) {
          const own = { name, to: tab, life, onMessage: onMessage as (message: unknown) => void }
          channels.add(own)
          return {
            post(message) {
              if (!channels.has(own)) throw new DOMException('The channel is closed', 'InvalidStateError')
              const copy = structuredClone(message)
              for (const other of channels) {
                if (other === own || other.name !== name) continue
                post(`${tab} to ${other.to}`, () => other.life.run(() => channels.has(other) && other.onMessage(copy)))
              }
            },
            close: () => channels.delete(own),
          }
        },
      }
    },
  }
}
