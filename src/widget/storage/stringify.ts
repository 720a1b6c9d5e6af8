/**
 * `JSON.stringify` as the standard has it, whatever `toJSON()` the page's libraries have added to built-in prototypes:
 * with that of Prototype.js before 1.7, an array becomes a string.
 */
export function stringify(value: unknown): string {
  // The replacer is called with what `toJSON()` has returned; its `this` still holds the value itself.
  return JSON.stringify(value, function (this: Record<string, unknown>, key) {
    return this[key]
  })
}
