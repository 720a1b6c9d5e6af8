import type { Attributes } from '../../contract/index.ts'

/** The platform's limits: no message is refused because of its context. Bytes are those of the JSON in UTF-8. */
export const contextLimits = { keys: 20, textLength: 500, bytes: 2048 }

/** Returns a copy of what the page says of the visitor, `{}` for `null`. Throws a `TypeError` that names a wrong key. */
export function checkContext(context: unknown): Attributes {
  if (context !== null && typeof context !== 'object') throw refuse(typeof context)
  const checked: Attributes = {}
  for (const [key, value] of Object.entries(context ?? {})) {
    checked[key] = value
    const isRight = isKey(key) && isValue(value)
    if (!isRight || Object.keys(checked).length > contextLimits.keys || sizeOf(checked) > contextLimits.bytes) {
      throw refuse(`"${key}"`)
    }
  }
  return checked
}

export const sizeOf = (context: Attributes): number => new TextEncoder().encode(JSON.stringify(context)).length

const isKey = (key: string) => /^[A-Za-z][\w.-]{0,39}$/.test(key)

/** No database stores NUL and unpaired surrogates. */
const isValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? [...value].length <= contextLimits.textLength && !/\0|\p{Surrogate}/u.test(value)
    : typeof value === 'boolean' || Number.isFinite(value)

const refuse = (what: string) =>
  new TypeError(
    `Natter: setContext can't take ${what}. It takes an object of at most 20 keys (a letter, then up to 39 of A-Z, a-z, 0-9, _ . -) with strings of at most 500 characters, numbers and booleans; 2 KiB of JSON together`,
  )
