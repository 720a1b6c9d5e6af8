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

/** A `BroadcastChannel`. */
export interface TabChannel<Message> {
  post(message: Message): void
  close(): void
}

/** The page around the widget, as far as models and transport need it. */
export type Page = ReturnType<typeof createPage>

export const createPage = () => ({
  // In some embedded browsers `onLine` is undefined, which doesn't mean offline.
  online: () => navigator.onLine !== false,
  isHidden: () => document.hidden,
  /** Adds a listener. Returns a function that removes it. */
  on(event: PageEvent, fn: () => void): () => void {
    // Listen in the capture phase: some events are fired at the document, and `freeze` doesn't bubble.
    addEventListener(event, fn, true)
    return () => removeEventListener(event, fn, true)
  },
  /** Emits `natter:auth` after the identity was written, because the `storage` event is not fired in the same window. */
  // A microtask, so that the caller finishes first. CustomEvent, because Prototype.js and MooTools replace `Event`.
  notifySameWindow: () => queueMicrotask(() => dispatchEvent(new CustomEvent('natter:auth'))),
  /**
   * Runs `fn` while it holds the Web Lock `name`, which only one tab of the origin can hold. If the browser has no locks, it
   * runs `fn` at once, with `isLocked` false.
   */
  async withLock(name: string, abortSignal: AbortSignal, fn: (isLocked: boolean) => Promise<unknown>): Promise<void> {
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
  /** Opens a channel to the other tabs of the origin. A tab doesn't receive its own messages. */
  openChannel<Message>(name: string, onMessage: (message: Message) => void): TabChannel<Message> {
    const channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }) => onMessage(data)
    return { post: message => channel.postMessage(message), close: () => channel.close() }
  },
})
