/** Puts a value where a text has its `{…}`; a function, since `$&` in a name is no pattern. */
export function fill(text: string, value: string | number): string {
  return text.replace(/{\w+}/, () => `${value}`)
}
