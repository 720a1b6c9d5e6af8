import { maxCounted } from '../searchRules.ts'

/** When a search compares contacts one by one, newest first, and how many. */
export interface ScanLimits {
  /** The contacts of a bot with at most so many are always compared. */
  smallBot: number
  /** How many contacts a page of a search compares. */
  page: number
  /** How many contacts a step of a list compares. */
  step: number
  /**
   * How long the index is searched. It takes longer if very many contacts contain a term and the sample does not show
   * that. Then the search compares contacts instead.
   */
  lookUpMs: number
  /** How many matches are counted. */
  maxCounted: number
}
export const defaultScanLimits: ScanLimits = {
  smallBot: 10_000,
  page: 1_000_000,
  step: 50_000,
  lookUpMs: 1500,
  maxCounted,
}
