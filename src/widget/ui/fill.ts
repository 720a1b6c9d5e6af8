import type { CountedText } from '../strings/en.ts'

/** Puts a value where a text has its `{…}`; a function, since `$&` in a name is no pattern. */
export function fill(text: CountedText, value: string | number): string {
  return text.replace(/{\w+}/, () => `${value}`)
}
