import type { Attributes } from '../../contract/index.ts'
import type { Chunks } from './chunks.ts'
import type { Emitter } from './events.ts'
import type { ParsedOptions } from './parseOptions.ts'
import type { ReportProblem } from './problems.ts'

/** The facts about the visitor that the page has set with `setContext()`. */
export interface VisitorContext {
  attributes: Attributes
  /** The contact of whom the page has said it; `null` while nobody has been identified since. */
  contactId: string | null
}

/** What successive instances of one handle share. */
export interface InstanceSettings {
  readonly options: ParsedOptions
  /** The current language: a BCP 47 tag from the options or `setLocale()`. */
  locale: string
  /** Whether the page has called `hide()`. */
  isHidden: boolean
  /** Changed in place, by the core too: it outlives the document, which the page may replace. */
  readonly context: VisitorContext
  chunks: Chunks
  emit: Emitter['emit']
  report: ReportProblem
}
