/** Replaces the placeholder of a text, `{…}`. The replacement is a function, so that `$&` in a value is not a pattern. */
export function interpolate(text: string, value: string): string {
  return text.replace(/{\w+}/, () => value)
}
