/** What the page tells: of itself, of the network, of other tabs (`storage`), and of other widgets in it (`natter`). */
export type PageSignal = 'pagehide' | 'pageshow' | 'visibilitychange' | 'online' | 'offline' | 'storage' | 'natter'

/** The page around the widget, as far as state and transport need it. */
export interface Page {
  online(): boolean
  /** Returns its undo. */
  on(signal: PageSignal, fn: () => void): () => void
  /** Says `natter`: identity has been written, of which `storage` tells other tabs alone. */
  notifySameWindow(): void
  /** Runs `fn` while no other tab of the origin runs one of that name; at once where the browser has no locks. */
  withLock(name: string, abortSignal: AbortSignal, fn: () => Promise<void>): Promise<void>
  /**
   * Runs `fn` where no other tab of the origin runs one of that name, and where the browser has no locks. Rejects where
   * another does, and when another takes over.
   */
  lead(name: string, fn: () => Promise<void>): Promise<void>
}

/** The browser's page. */
export function createPage(): Page {
  return {
    // Only a plain `false` counts: some embedded browsers don't know.
    online: () => navigator.onLine !== false,
    on(signal, fn) {
      addEventListener(signal, fn)
      return () => removeEventListener(signal, fn)
    },
    // Not before the one that has written is done. Prototype.js and MooTools replace `Event`, but not `CustomEvent`.
    notifySameWindow: () => queueMicrotask(() => dispatchEvent(new CustomEvent('natter'))),
    async withLock(name, abortSignal, fn) {
      let started = false
      const run = () => {
        started = true
        return fn()
      }
      try {
        await navigator.locks.request(name, { signal: abortSignal }, run)
      } catch {
        // Over plain http there are no locks, and in a sandboxed frame they are refused.
        if (!started && !abortSignal.aborted) await run()
      }
    },
    async lead(name, fn) {
      const { locks } = navigator
      await (locks ? locks.request(name, { ifAvailable: true }, lock => (lock ? fn() : Promise.reject())) : fn())
    },
  }
}
