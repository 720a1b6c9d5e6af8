/** Where a search ends, and when SQLite's uses the index. */
export interface SearchLimits {
  /** How many matches of a search are counted. Its pages end there; its list continues. */
  maxCounted: number
  /** How many contacts a step of a list compares one by one. */
  step: number
  /** The contacts of a bot with at most so many are always compared one by one. */
  scanned: number
  /** Reading one contact that the index has found costs as much as comparing so many in their order. */
  rowsPerLookup: number
}
export const defaultSearchLimits: SearchLimits = {
  maxCounted: 10_000,
  step: 20_000,
  scanned: 10_000,
  rowsPerLookup: 10,
}
