import type { Chunks } from './chunks.ts'
import type { Emitter } from './events.ts'
import type { ParsedOptions } from './parseOptions.ts'
import type { ReportProblem } from './problems.ts'

/** What the instances of a handle have in common. */
export interface InstanceSettings {
  readonly options: ParsedOptions
  /** BCP 47, as last told by the page. */
  locale: string
  /** The page has called `hide()`. */
  isHidden: boolean
  chunks: Chunks
  emit: Emitter['emit']
  report: ReportProblem
}
