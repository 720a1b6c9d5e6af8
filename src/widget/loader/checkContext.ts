import type { Attributes } from '../../contract/index.ts'

/** The platform's limits: no message is refused because of its context. Bytes are those of the JSON in UTF-8. */
export const contextLimits = { keys: 20, textLength: 500, bytes: 2048 }

/**
 * Returns a copy of what the page says of the visitor, `{}` for `null`. Throws a `TypeError` that names the key for what the
 * platform would refuse.
 */
export function checkContext(context: unknown): Attributes {
  if (context === null) return {}
  if (typeof context !== 'object' || Array.isArray(context)) throw refuse('takes an object, or null')
  const entries = Object.entries(context as object)
  for (const [key, value] of entries) checkEntry(key, value)
  if (entries.length > contextLimits.keys)
    throw refuse(`takes at most ${contextLimits.keys} keys; "${entries[contextLimits.keys]?.[0]}" is one too many`)
  if (sizeOf(Object.fromEntries(entries)) > contextLimits.bytes) {
    throw refuse(
      `takes at most ${contextLimits.bytes} bytes as JSON, all together; "${longestKey(entries)}" is the longest`,
    )
  }
  return Object.fromEntries(entries)
}

export const sizeOf = (context: Attributes): number => new TextEncoder().encode(JSON.stringify(context)).length

function checkEntry(key: string, value: unknown) {
  if (!/^[A-Za-z][\w.-]{0,39}$/.test(key)) {
    throw refuse(`takes no key "${key.slice(0, 50)}": write a letter and up to 39 of A-Z, a-z, 0-9, "_", "." and "-"`)
  }
  if (typeof value === 'boolean' || Number.isFinite(value)) return
  if (typeof value !== 'string') throw refuse(`takes for "${key}" a string, a finite number, true or false`)
  if ([...value].length > contextLimits.textLength)
    throw refuse(`takes for "${key}" at most ${contextLimits.textLength} characters`)
  // NUL and unpaired surrogates, which no database stores.
  if (/\0|\p{Surrogate}/u.test(value)) throw refuse(`takes for "${key}" only text that can be stored`)
}

function longestKey(entries: [string, unknown][]): string {
  const [longest] = entries.toSorted((one, other) => `${other[1]}`.length - `${one[1]}`.length)
  return longest?.[0] ?? ''
}

const refuse = (what: string) => new TypeError(`Natter: setContext ${what}`)
