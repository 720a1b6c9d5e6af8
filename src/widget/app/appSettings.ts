import type { OwnStrings, Strings } from '../i18n/en.ts'
import type { Emitter } from '../loader/events.ts'
import type { WidgetOptions } from '../loader/options.ts'
import type { ReportProblem } from '../loader/problems.ts'
import type { VisitorContext } from '../loader/setContext.ts'
import type { LauncherParts } from '../notifications/deps.ts'

/** The settings that the loader passes to the core. */
export interface AppSettings
  extends Pick<WidgetOptions, 'botId' | 'persist' | 'refreshToken' | 'titleBadge' | 'preview' | 'tokenUrl' | 'page'> {
  baseUrl: string
  /** BCP 47 tags, separated by commas. */
  locale: string
  /** The facts about the visitor that the page has set so far. */
  context?: VisitorContext
  /** The site's own texts, which replace ours in every language. */
  strings?: OwnStrings | undefined
  /** Called whenever the texts of the launcher change. */
  renderLauncher(view: { texts: Pick<Strings, 'chat' | 'panelFailed'> }): void
  accent?: string | undefined
  /** The elements that show the number of unread messages. */
  launcherParts?: LauncherParts
  emit: Emitter['emit']
  /** Explains a mistake of the site in the console. */
  report: ReportProblem
}
