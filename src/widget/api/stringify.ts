/**
 * Works like the standard `JSON.stringify`, and ignores `toJSON()` methods that libraries of the page add to built-in
 * prototypes. Prototype.js before 1.7 adds one that turns an array into a string.
 */
export function stringify(value: unknown): string {
  // The second argument would be the result of `toJSON()`, while `this` still holds the original value.
  return JSON.stringify(value, function (this: Record<string, unknown>, key) {
    return this[key]
  })
}
