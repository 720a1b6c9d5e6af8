import type { Emitter } from '../loader/events.ts'
import type { LauncherView } from '../loader/launcher.ts'
import type { ParsedOptions } from '../loader/parseOptions.ts'
import type { ReportProblem } from '../loader/problems.ts'
import type { VisitorContext } from '../loader/setContext.ts'
import type { LauncherParts } from '../notifications/deps.ts'

/** What the loader passes to the core: the site's options, and the rest of the page. */
export interface AppSettings extends ParsedOptions {
  /** BCP 47 tags, separated by commas. */
  locale: string
  /** The facts about the visitor that the page has set so far. */
  context?: VisitorContext
  /** Called whenever the texts of the launcher change. */
  renderLauncher(view: Pick<LauncherView, 'texts'>): void
  /** The elements that show the number of unread messages. */
  launcherParts?: LauncherParts
  emit: Emitter['emit']
  /** Explains a mistake of the site in the console. */
  report: ReportProblem
}
