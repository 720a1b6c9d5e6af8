import type { Attributes } from '../../contract/index.ts'

/** The facts about the visitor that the page has set with `setContext()`. */
export interface VisitorContext {
  attributes: Attributes
  /** The contact of whom the page has said it; `null` while nobody has been identified since. */
  contactId: string | null
}

/**
 * Validates the argument of `setContext()` as the platform does, so that no message is rejected because of it. Returns a copy,
 * `{}` for `null`. Throws a `TypeError` that names an invalid key.
 */
export function checkContext(context: unknown): Attributes {
  const checked: Attributes = {}
  const isInvalid = ([key, value]: [string, unknown]) => {
    checked[key] = value as string
    return !/^[A-Za-z][\w.-]{0,39}$/.test(key) || !isValue(value) || !isWithinLimits(checked)
  }
  const invalid = typeof context === 'object' ? Object.entries({ ...context }).find(isInvalid) : [typeof context]
  if (!invalid) return checked
  throw new TypeError(`Natter: setContext can't take "${invalid[0]}"`)
}

/** Whether a message may have this context. */
export const isWithinLimits = (context: Attributes): boolean =>
  Object.keys(context).length <= 20 && new TextEncoder().encode(JSON.stringify(context)).length <= 2048

/** Rejects long texts, NUL and unpaired surrogates, because databases can't store them, and numbers that lose digits. */
const isValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^[^\0\p{Surrogate}]{0,500}$/u.test(value)
    : typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) < 2 ** 53)
