import { maxCounted } from '../searchRules.ts'

/** When a search uses the index, and where it ends. This file imports no engine, since the type is part of the store's options. */
export interface SearchLimits {
  /** The contacts of a bot with at most so many are compared without the index. */
  scanned: number
  /** The most contacts that the index may find for a search to read them one by one. */
  indexed: number
  /** How many contacts a step of a list compares without the index. */
  step: number
  /** How many matches are counted. */
  maxCounted: number
}
export const defaultSearchLimits: SearchLimits = { scanned: 10_000, indexed: 1000, step: 20_000, maxCounted }
