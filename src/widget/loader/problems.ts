import type { OptionName } from './parseOptions.ts'

/** Where a site has set the options: on the script's tag, on `<natter-chat>`, or in a call of `createWidget()`. */
export type OptionSource = 'script' | 'element' | 'createWidget'

/** A mistake of the site that the widget has found. The texts for it are in the chunk `diagnostics`. */
export type Problem =
  /** There is no option of that name; it may be of another tool, unless it looks like one of ours. */
  | { code: 'unknown_option'; name: string }
  /** The option has this value, which it can't have; the default is used. */
  | { code: 'invalid_option'; name: OptionName; value: unknown }
  | { code: 'missing_option'; name: 'botId' | 'baseUrl' | 'target' }
  /** The script's tag has no bot id, but these attributes, some of which may be options. */
  | { code: 'missing_bot_id'; given: string[] }
  /** The selector is valid, and no element matches it. */
  | { code: 'not_found'; name: 'target' | 'launcher'; value: string }
  /** An attribute was changed that can't take effect. */
  | { code: 'change_ignored' }
  /** Core or panel couldn't be loaded: the network, or something in the page that they can't run with. */
  | { code: 'chunk_failed' }

export type ReportProblem = (problem: Problem) => void

interface Diagnostics {
  explainProblem(problem: Problem, source: OptionSource): void
}

/** Tells the site's owner in the console. The explanations are fetched now, because most sites need none. */
export function createReporter(diagnostics: () => Promise<Diagnostics>, source: OptionSource): ReportProblem {
  return problem => {
    diagnostics().then(
      ({ explainProblem }) => explainProblem(problem, source),
      // Without the explanations everything else works all the same.
      () => {},
    )
  }
}
