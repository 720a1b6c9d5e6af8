/** The changes without the absent ones, which would else erase what stands. */
export function omitUndefined<Changes extends object>(changes: Changes): Partial<Changes> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<Changes>
}
