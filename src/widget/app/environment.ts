import type { ApiClientDeps } from '../api/apiClient.ts'
import { randomUuid } from '../api/randomUuid.ts'
import type { textsIn } from '../i18n/locales.ts'
import { getFromDocument } from '../loader/documentAccess.ts'
import type { SessionDeps } from '../models/session/sessionModel.ts'
import type { SiteSignIn } from '../models/session/siteSignIn.ts'
import { openDatabase, type UpdateRecords } from '../storage/database.ts'
import type { coordinateTabs } from '../tabs/index.ts'
import type { AppSettings } from './appSettings.ts'
import type { createNotifications } from './notifications/createNotifications.ts'

/** Time and random numbers. Tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `fn` once after `ms`. Returns a function that cancels the timer. */
  setTimeout(fn: () => void, ms: number): () => void
  /** From 0 up to 1, for jitter and ids. */
  random(): number
}

/** Events of the page, of the network, of other tabs (`storage`), and of other widgets in this window (`natter`). */
export type PageEvent =
  | 'pagehide'
  | 'pageshow'
  | 'visibilitychange'
  | 'freeze'
  | 'online'
  | 'offline'
  | 'storage'
  | 'natter'

/** The page around the widget, as far as models and transport need it. */
export interface Page {
  online(): boolean
  isHidden(): boolean
  /** Adds a listener. Returns a function that removes it. */
  on(event: PageEvent, fn: () => void): () => void
  /** Emits `natter` after the identity was written, because the `storage` event is not fired in the same window. */
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

/** Everything outside the widget that the core touches. */
export interface Environment {
  clock: Clock
  page: Page
  storage: () => Storage
  update: UpdateRecords
  fetch: typeof fetch
  createMessageId(): string
  /** Fetches the code that reads an event stream. */
  eventStream: ApiClientDeps['eventStream']
  /** Fetches the code that exchanges an expired token. */
  tokenRefresh: SessionDeps['tokenRefresh']
  /** Fetches the code that asks the site who is signed in. */
  siteSignIn(): Promise<{ SiteSignIn: typeof SiteSignIn }>
  /** Fetches the code with which the tabs of an origin share one event stream. */
  tabs(): Promise<{ coordinateTabs: typeof coordinateTabs }>
  /** Fetches the badge, the number in the page's title, and the sound. */
  notifications(): Promise<{ createNotifications: typeof createNotifications }>
  /** Asks the platform whether it refuses pages of this origin. Never rejects. */
  isOriginRefused(): Promise<boolean>
  /** Asks the platform why it refuses this page, and explains it to the site's owner in the console. */
  onRefused(): void
  /** Fetches the list of languages other than English. */
  locales(): Promise<{ textsIn: typeof textsIn }>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(fn, ms) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}

function createPage(): Page {
  return {
    // In some embedded browsers `onLine` is undefined, which doesn't mean offline.
    online: () => navigator.onLine !== false,
    isHidden: () => getFromDocument('hidden'),
    on(event, fn) {
      // Listen in the capture phase: some events are fired at the document, and `freeze` doesn't bubble.
      addEventListener(event, fn, true)
      return () => removeEventListener(event, fn, true)
    },
    // A microtask, so that the caller finishes first. CustomEvent, because Prototype.js and MooTools replace `Event`.
    notifySameWindow: () => queueMicrotask(() => dispatchEvent(new CustomEvent('natter'))),
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

export const createEnvironment = (
  { baseUrl, botId, persist = 'local' }: Pick<AppSettings, 'baseUrl' | 'botId' | 'persist'>,
  abortSignal: AbortSignal,
): Environment => ({
  clock: systemClock,
  page: createPage(),
  // `memoryStorage` does not exist, so using it throws, and the stores keep everything in memory.
  storage: () => window[`${persist}Storage` as 'localStorage'],
  update: openDatabase(`natter:${botId}`, abortSignal),
  fetch: (...request) => fetch(...request),
  createMessageId: randomUuid,
  eventStream: () => import('../api/eventStream.ts'),
  tokenRefresh: () => import('../models/session/tokenRefresh.ts'),
  siteSignIn: () => import('../models/session/siteSignIn.ts'),
  tabs: () => import('../tabs/index.ts'),
  notifications: () => import('./notifications/createNotifications.ts'),
  isOriginRefused: () =>
    import('../diagnostics/index.ts').then(({ isOriginRefused }) => isOriginRefused(baseUrl, botId)).catch(() => false),
  onRefused() {
    import('../diagnostics/index.ts').then(({ explainRefusal }) => explainRefusal(baseUrl, botId)).catch(() => {})
  },
  locales: () => import('../i18n/locales.ts'),
})
