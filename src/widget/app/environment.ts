import { randomUuid } from '../api/randomUuid.ts'
import { type Clock, systemClock } from '../environment/clock.ts'
import { createPage, type Page } from '../environment/page.ts'
import type { textsIn } from '../i18n/locales.ts'
import type * as site from '../identity/site.ts'
import type { createNotifications } from '../notifications/createNotifications.ts'
import { openDatabase, type UpdateRecords } from '../store/database.ts'
import { openStorage } from '../store/entries.ts'
import type { AppSettings } from './appSettings.ts'
import type { createAttachments } from './createAttachments.ts'
import type * as stream from './stream.ts'

/** Everything outside the widget that the core touches. */
export interface Environment {
  clock: Clock
  page: Page
  storage: () => Storage
  update: UpdateRecords
  fetch: typeof fetch
  createId(): string
  /** Fetches the code that asks the site who is signed in, or exchanges an expired token. */
  site(): Promise<typeof site>
  /** Fetches the code of sessions with a token: the event stream, and what the tabs of an origin share. */
  stream(): Promise<typeof stream>
  /** Fetches the code for files in messages. */
  attachments(): Promise<{ createAttachments: typeof createAttachments }>
  /** Fetches the badge, the number in the page's title, and the sound. */
  notifications(): Promise<{ createNotifications: typeof createNotifications }>
  /** Asks the platform whether it refuses pages of this origin. Never rejects. */
  isOriginRefused(): Promise<boolean>
  /** Asks the platform why this page gets nothing of its bot, and explains it to the site's owner in the console. */
  onRefused(): void
  /** Fetches the list of languages other than English. */
  locales(): Promise<{ textsIn: typeof textsIn }>
}

export const createEnvironment = (
  { baseUrl, botId, persist }: Pick<AppSettings, 'baseUrl' | 'botId' | 'persist'>,
  abortSignal: AbortSignal,
): Environment => ({
  clock: systemClock,
  page: createPage(),
  storage: openStorage({ persist }),
  update: openDatabase(`natter:${botId}`, abortSignal),
  // Paths are of the page's own origin, whatever its `<base href>` says.
  fetch: (url, init) => fetch(new URL(`${url}`, location.href).href, init),
  createId: randomUuid,
  site: () => import('../identity/site.ts'),
  stream: () => import('./stream.ts'),
  attachments: () => import('./createAttachments.ts'),
  notifications: () => import('../notifications/createNotifications.ts'),
  isOriginRefused: () =>
    import('../diagnostics/index.ts').then(({ isOriginRefused }) => isOriginRefused(baseUrl, botId)).catch(() => false),
  onRefused() {
    import('../diagnostics/index.ts')
      .then(({ explainUnavailable }) => explainUnavailable(baseUrl, botId))
      .catch(() => {})
  },
  locales: () => import('../i18n/locales.ts'),
})
