import type { Attributes } from '../../contract/index.ts'
import type { ReportProblem } from './problems.ts'

/** The facts about the visitor that the page has set with `setContext()`. */
export interface VisitorContext {
  attributes: Attributes
  /** The contact of whom the page has said it; `null` while nobody has been identified since. */
  contactId: string | null
}

/**
 * The platform's limits, checked here so that no message is rejected because of its context. `bytes`: the JSON in UTF-8.
 */
export const contextLimits = { keys: 20, textLength: 500, bytes: 2048 }

/**
 * Validates the argument of `setContext()`. Returns a copy, `{}` for `null`. Throws a `TypeError` that names an invalid
 * key, and reports it, so that the console says what is allowed.
 */
export function checkContext(context: unknown, report: ReportProblem): Attributes {
  function refuse(what: string): never {
    report({ code: 'invalid_context' })
    throw new TypeError(`Natter: setContext can't take ${what}`)
  }

  if (context !== null && typeof context !== 'object') refuse(typeof context)
  const checked: Attributes = {}
  for (const [key, value] of Object.entries(context ?? {})) {
    checked[key] = value
    const isValid = isKey(key) && isValue(value)
    if (!isValid || Object.keys(checked).length > contextLimits.keys || sizeOf(checked) > contextLimits.bytes) {
      refuse(`"${key}"`)
    }
  }
  return checked
}

export const sizeOf = (context: Attributes): number => new TextEncoder().encode(JSON.stringify(context)).length

const isKey = (key: string) => /^[A-Za-z][\w.-]{0,39}$/.test(key)

/** Rejects NUL and unpaired surrogates, because databases can't store them, and numbers that lose digits. */
const isValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? [...value].length <= contextLimits.textLength && !/\0|\p{Surrogate}/u.test(value)
    : typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) < 2 ** 53)
