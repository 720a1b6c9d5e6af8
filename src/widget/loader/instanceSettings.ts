import type { Chunks } from './chunks.ts'
import type { Emitter } from './events.ts'
import type { ParsedOptions } from './parseOptions.ts'
import type { ReportProblem } from './problems.ts'
import type { VisitorContext } from './visitorContext.ts'
import type { WaitingMessages } from './waitingMessages.ts'

/** What successive instances of one handle share. */
export interface InstanceSettings {
  readonly options: ParsedOptions
  /** The current language: a BCP 47 tag from the options or `setLocale()`. */
  locale: string
  /** Whether the page has called `hide()`. */
  isHidden: boolean
  /** Changed in place, by the core too: it outlives the document, which the page may replace. */
  readonly context: VisitorContext
  /**
   * The token of the last session that `destroy()` or another document has ended, for a later logout. If storage is blocked, it
   * is stored nowhere else.
   */
  lastToken: string | null
  readonly waitingMessages: WaitingMessages
  chunks: Chunks
  emit: Emitter['emit']
  report: ReportProblem
}
