import type { OptionName } from './options.ts'

/** Where the site has set the options: on the script tag, on `<natter-chat>`, or in a call of `createWidget()`. */
export type OptionSource = 'script' | 'element' | 'createWidget'

/** A mistake of the site. The chunk `diagnostics` contains the lines for the console. */
export type Problem =
  /** There is no option with this name. On a tag it is no mistake: the attribute belongs to another tool. */
  | { code: 'unknown_option'; name: string }
  /** The value is invalid, and the default is used. With a wrong `persist` there is no widget. */
  | { code: 'invalid_option'; name: OptionName; value: unknown }
  /** The option `strings` has keys that no text has. */
  | { code: 'unknown_texts'; names: string[] }
  | { code: 'missing_option'; name: 'botId' | 'baseUrl' | 'target' }
  /** `auth.refresh()` was called, and there is no address to ask. */
  | { code: 'missing_token_url' }
  /** The script tag has no bot id, and the page no `<natter-chat>`. */
  | { code: 'missing_bot_id' }
  /** The selector is valid, but no element matches it. */
  | { code: 'not_found'; name: 'target' | 'launcher'; value: string }
  /** `setContext()` has thrown, with a message that names the key. */
  | { code: 'invalid_context' }
  /** An attribute of `<natter-chat>` was changed, which can't take effect. */
  | { code: 'change_ignored' }
  /** Core or panel couldn't be loaded or run, because of the network or of something in the page. */
  | { code: 'chunk_failed' }

export type ReportProblem = (problem: Problem) => void

/** Says what is wrong, a chunk of its own. */
export interface Diagnostics {
  /** `baseUrl` is the address of the platform, which has the guide. */
  explainProblem(problem: Problem, source: OptionSource, baseUrl?: string): void
}

/** Creates a function that reports problems in the console. The explanations are loaded on demand: most sites need none. */
export function createReporter(
  diagnostics: () => Promise<Diagnostics>,
  source: OptionSource,
  baseUrl?: string,
): ReportProblem {
  return problem => {
    diagnostics().then(
      ({ explainProblem }) => explainProblem(problem, source, baseUrl),
      // Everything else works without the explanations.
      () => {},
    )
  }
}
