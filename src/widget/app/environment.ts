import { randomUuid } from '../api/randomUuid.ts'
import { systemClock } from '../environment/clock.ts'
import { createPage } from '../environment/page.ts'
import type { textsIn } from '../i18n/locales.ts'
import { openDatabase } from '../store/database.ts'
import { openStorage } from '../store/entries.ts'
import type { AppSettings } from './appSettings.ts'

/** Everything outside the widget that the core touches. */
export type Environment = ReturnType<typeof createEnvironment>

export const createEnvironment = (
  { baseUrl, botId, persist }: Pick<AppSettings, 'baseUrl' | 'botId' | 'persist'>,
  abortSignal: AbortSignal,
) => ({
  clock: systemClock,
  page: createPage(),
  storage: openStorage({ persist }),
  update: openDatabase(`natter:${botId}`, abortSignal),
  // Paths are of the page's own origin, whatever its `<base href>` says.
  fetch: ((url, init) => fetch(new URL(`${url}`, location.href).href, init)) as typeof fetch,
  createId: randomUuid,
  /** Fetches the code that asks the site who is signed in, or replaces an expired token. */
  site: () => import('../identity/site.ts'),
  /** Fetches the code of sessions with a token: the event stream, and what the tabs of an origin share. */
  stream: () => import('./stream.ts'),
  /** Fetches the code for files in messages. */
  attachments: () => import('./createAttachments.ts'),
  /** Fetches the badge, the number in the page's title, and the sound. */
  notifications: () => import('../notifications/createNotifications.ts'),
  /** Asks the platform whether it refuses pages of this origin. Never rejects. */
  isOriginRefused: () =>
    import('../diagnostics/explainUnavailable.ts')
      .then(({ isOriginRefused }) => isOriginRefused(baseUrl, botId))
      .catch(() => false),
  /** Asks the platform why this page gets nothing of its bot, and explains it to the site's owner in the console. */
  onRefused() {
    import('../diagnostics/explainUnavailable.ts')
      .then(({ explainUnavailable }) => explainUnavailable(baseUrl, botId))
      .catch(() => {})
  },
  /** Fetches the list of languages other than English. */
  locales: (): Promise<{ textsIn: typeof textsIn }> => import('../i18n/locales.ts'),
})
