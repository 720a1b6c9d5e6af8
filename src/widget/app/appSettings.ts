import type { OwnStrings, Strings } from '../i18n/en.ts'
import type { Emitter } from '../loader/events.ts'
import type { VisitorContext } from '../loader/instanceSettings.ts'
import type { WidgetOptions } from '../loader/options.ts'
import type { LauncherParts } from './notifications/launcherBadge.ts'

/** What the loader gives the core. */
export interface AppSettings
  extends Pick<WidgetOptions, 'botId' | 'persist' | 'refreshToken' | 'titleBadge' | 'tokenUrl' | 'page'> {
  baseUrl: string
  /** BCP 47 tags with commas between. */
  locale: string
  /** What the page has said of the visitor so far. */
  context?: VisitorContext
  /** The site's own texts, which count in every language. */
  strings?: OwnStrings | undefined
  /** Called whenever what the launcher says changes. */
  renderLauncher(view: { texts: Pick<Strings, 'chat' | 'panelFailed'> }): void
  accent?: string | undefined
  /** Where the number of unread messages is shown. */
  launcherParts?: LauncherParts
  emit: Emitter['emit']
}
