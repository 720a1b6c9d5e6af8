/** Puts a value in the place of a text's `{…}`. By a function, because `$&` in a name would be a pattern. */
export function interpolate(text: string, value: string): string {
  return text.replace(/{\w+}/, () => value)
}
