import { hexColor } from './color.ts'
import type { WidgetOptions } from './options.ts'
import type { OptionSource, ReportProblem } from './problems.ts'

export type OptionName = keyof WidgetOptions

/** Options with valid values only. The default of one that is missing is applied where the option is used. */
export type ParsedOptions = WidgetOptions & { baseUrl: string }

const anything = /./
const number = /^-?\d+(\.\d+)?$/

/** What the value of each option looks like as text, as in an attribute. */
const patterns: Record<OptionName, RegExp> = {
  botId: anything,
  // An absolute address or a path, but not a host without https://.
  baseUrl: /^(https?:\/)?\//,
  locale: anything,
  theme: /^(auto|light|dark)$/,
  accent: hexColor,
  position: /^(start|end)$/,
  mode: /^(floating|inline)$/,
  // These two are checked where the elements are looked for.
  target: anything,
  launcher: anything,
  offset: number,
  zIndex: number,
  // As an attribute it may stand alone.
  titleBadge: /^(true|false|)$/,
  persist: /^(local|session|memory)$/,
  refreshToken: anything,
  // A path of the page's own origin, and no address without a scheme.
  tokenUrl: /^(https:\/\/|\/(?!\/))/,
  // Alone, as `titleBadge`, or a function.
  page: /^(true|false|)$|=>|\(/,
  strings: anything,
}

const names = Object.keys(patterns)
/** As attributes they may have no value. */
const standAlone: readonly OptionName[] = ['titleBadge', 'page']

/** Reads what a site has set. Each mistake is reported, and the option then has its default, `persist` excepted. */
export function parseOptions(
  given: Record<string, unknown>,
  source: OptionSource,
  report: ReportProblem,
  baseUrl?: string,
): ParsedOptions {
  const options: Record<string, unknown> = { baseUrl }
  for (const name of Object.keys(given) as OptionName[]) {
    const value = given[name]
    // Templates leave an attribute empty, and objects a property undefined, for what is not set.
    if (value === undefined || value === null || (value === '' && !standAlone.includes(name))) continue
    if (!names.includes(name)) {
      if (source === 'createWidget' || looksLikeOption(name)) report({ code: 'unknown_option', name })
    } else if (patterns[name].test(`${value}`)) options[name] = value
    else {
      report({ code: 'invalid_option', name, value })
      // The site probably wanted less to be stored than by default, so the strictest value is used.
      if (name === 'persist') options[name] = 'memory'
    }
  }
  return options as unknown as ParsedOptions
}

/** Tags also have attributes of other tools. Only one that begins like an option is worth fetching the diagnostics for. */
const looksLikeOption = (name: string): boolean => names.some(known => known.slice(0, 2) === name.slice(0, 2))
