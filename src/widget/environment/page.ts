/** Events of the page, of the network, of other tabs (`storage`), and of other widgets in this window (`natter:auth`). */
export type PageEvent =
  | 'pagehide'
  | 'pageshow'
  | 'visibilitychange'
  | 'freeze'
  | 'online'
  | 'offline'
  | 'storage'
  | 'natter:auth'

/** The page around the widget, as far as models and transport need it. */
export interface Page {
  online(): boolean
  isHidden(): boolean
  /** Adds a listener. Returns a function that removes it. */
  on(event: PageEvent, fn: () => void): () => void
  /** Emits `natter:auth` after the identity was written, because the `storage` event is not fired in the same window. */
  notifySameWindow(): void
  /**
   * Runs `fn` while it holds the Web Lock `name`, which only one tab of the origin can hold. If the browser has no locks, it
   * runs `fn` at once, with `isLocked` false.
   */
  withLock(name: string, abortSignal: AbortSignal, fn: (isLocked: boolean) => Promise<unknown>): Promise<void>
  /**
   * Runs `fn` if the Web Lock `name` is free, or if the browser has no locks. Resolves to `ended` when `fn` has ended, and to
   * `taken` if another tab holds the lock or steals it.
   */
  withLeaderLock(name: string, fn: () => Promise<void>): Promise<'ended' | 'taken'>
}

export function createPage(): Page {
  return {
    // In some embedded browsers `onLine` is undefined, which doesn't mean offline.
    online: () => navigator.onLine !== false,
    isHidden: () => document.hidden,
    on(event, fn) {
      // Listen in the capture phase: some events are fired at the document, and `freeze` doesn't bubble.
      addEventListener(event, fn, true)
      return () => removeEventListener(event, fn, true)
    },
    // A microtask, so that the caller finishes first. CustomEvent, because Prototype.js and MooTools replace `Event`.
    notifySameWindow: () => queueMicrotask(() => dispatchEvent(new CustomEvent('natter:auth'))),
    async withLock(name, abortSignal, fn) {
      let started = false
      const run = (lock?: unknown) => {
        started = true
        return fn(!!lock)
      }
      try {
        await navigator.locks.request(name, { signal: abortSignal }, run)
      } catch {
        // There are no locks over plain http, and requests for them fail in a sandboxed frame.
        if (!started && !abortSignal.aborted) await run()
      }
    },
    async withLeaderLock(name, fn) {
      const lead = async (lock: object | null) => {
        if (!lock) return 'taken'
        await fn()
        return 'ended'
      }
      const { locks } = navigator
      if (!locks) return lead({})
      try {
        return await locks.request(name, { ifAvailable: true }, lead)
      } catch {
        // Another tab has stolen the lock, or this is a sandboxed frame, where requests fail. `tabs/` handles both.
        return 'taken'
      }
    },
  }
}
