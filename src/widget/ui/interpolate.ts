import type { CountedText } from '../i18n/en.ts'

/** Puts a value where a text has its `{…}`; a function, since `$&` in a name is no pattern. */
export function interpolate(text: CountedText, value: string | number): string {
  return text.replace(/{\w+}/, () => `${value}`)
}
