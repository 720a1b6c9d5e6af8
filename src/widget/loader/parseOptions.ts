import { hexColor } from './color.ts'
import { type OptionName, persistence, type WidgetOptions } from './options.ts'
import type { ReportProblem } from './problems.ts'

/** Options with valid values only. Defaults are applied where an option is used. */
export type ParsedOptions = WidgetOptions & { baseUrl: string }

const anything = /./
const number = /^-?\d+(\.\d+)?$/

/** The pattern that each option must match when converted to text. */
const patterns: Record<OptionName, RegExp> = {
  botId: anything,
  // An absolute address or a path, but not a host without https://.
  baseUrl: /^(https?:\/)?\//,
  locale: anything,
  theme: /^(auto|light|dark)$/,
  accent: hexColor,
  position: /^(start|end)$/,
  mode: /^(floating|inline)$/,
  // Checked when the elements are searched for.
  target: anything,
  launcher: anything,
  offset: number,
  zIndex: number,
  // An attribute without a value means true.
  titleBadge: /^(true|false|)$/,
  preview: /^(true|false)$/,
  persist: persistence,
  refreshToken: anything,
  // An https address, or a path that doesn't begin with //.
  tokenUrl: /^(https:\/\/|\/(?!\/))/,
  // An attribute without a value means true. `=>` or `(` occurs in every function.
  page: /^(true|false|)$|=>|\(/,
  // An object as text.
  strings: /^\[o/,
}

export const optionNames = Object.keys(patterns) as OptionName[]

/** Validates the site's options. Each mistake is reported, and the default is used. */
export function parseOptions(given: Record<string, unknown>, report: ReportProblem, baseUrl?: string): ParsedOptions {
  const options: Record<string, unknown> = { baseUrl }
  for (const name of optionNames) {
    if (!Object.hasOwn(given, name)) continue
    let value = given[name]
    try {
      // Texts are JSON in an attribute.
      if (name === 'strings') value = JSON.parse(value as string)
    } catch {
      // They are an object already, or wrong.
    }
    // For an option that is not set, objects contain `undefined`, and templates leave the attribute empty.
    if (value === undefined || value === null) continue
    if (patterns[name].test(`${value}`)) options[name] = value
    else if (value !== '') report(`The option \`${name}\` has a wrong value`)
  }
  return options as unknown as ParsedOptions
}
