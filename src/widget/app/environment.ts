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

/** Time and chance as the widget sees them; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `fn` once after `ms`; returns what cancels it. */
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
  /** Whether nobody can see the page. */
  isHidden(): boolean
  /** Returns what removes the listener. */
  on(event: PageEvent, fn: () => void): () => void
  /** Emits `natter`: identity has been written. The `storage` event tells other windows only. */
  notifySameWindow(): void
  /**
   * Runs `fn` while no other tab of the origin runs one of that name; at once, and not `isLocked`, where the browser has no
   * locks.
   */
  withLock(name: string, abortSignal: AbortSignal, fn: (isLocked: boolean) => Promise<unknown>): Promise<void>
  /**
   * Runs `fn` if no other tab of the origin runs one of that name, and where the browser has no locks. Resolves to `ended`
   * when `fn` has, and to `taken` if another tab has the lock, or as soon as it steals the lock.
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
  /** Fetches what reads an event stream. */
  eventStream: ApiClientDeps['eventStream']
  /** Fetches what exchanges an expired token. */
  tokenRefresh: SessionDeps['tokenRefresh']
  /** Fetches what asks the site who is signed in. */
  siteSignIn(): Promise<{ SiteSignIn: typeof SiteSignIn }>
  /** Fetches what makes the tabs of an origin agree. */
  tabs(): Promise<{ coordinateTabs: typeof coordinateTabs }>
  /** Fetches what tells of unread messages beside the launcher. */
  notifications(): Promise<{ createNotifications: typeof createNotifications }>
  /** Whether the platform answers, but not to pages of this origin. Asks it; never rejects. */
  isOriginRefused(): Promise<boolean>
  /** Explains to the site's owner, in the console, that the platform refuses this page, if it does. */
  onRefused(): void
  /** Fetches what knows the languages other than English. */
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

/** The browser's page. */
function createPage(): Page {
  return {
    // Only `false` counts: in some embedded browsers it is undefined.
    online: () => navigator.onLine !== false,
    isHidden: () => getFromDocument('hidden'),
    on(event, fn) {
      // Some are the document's, and `freeze` doesn't bubble.
      addEventListener(event, fn, true)
      return () => removeEventListener(event, fn, true)
    },
    // Later, so that the caller has finished writing. Prototype.js and MooTools replace `Event`, but not `CustomEvent`.
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
        // Over plain http there are no locks, and in a sandboxed frame they are refused.
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
        // Another tab has stolen it. Or this is a sandboxed frame, which may have no locks: tabs/ copes with that.
        return 'taken'
      }
    },
  }
}

/** The real browser. */
export const createEnvironment = (
  { baseUrl, botId, persist = 'local' }: Pick<AppSettings, 'baseUrl' | 'botId' | 'persist'>,
  abortSignal: AbortSignal,
): Environment => ({
  clock: systemClock,
  page: createPage(),
  // There is no `memoryStorage`: using it fails, and what storage refuses is kept in memory.
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
