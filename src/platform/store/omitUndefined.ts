/** Removes absent changes: spread over a row, an `undefined` would overwrite the stored value. */
export function omitUndefined<Changes extends object>(changes: Changes): Partial<Changes> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<Changes>
}
