/** How many contacts a search compares one by one, newest first, and when. */
export interface ScanLimits {
  /** Bots with at most so many contacts need no index. */
  smallBot: number
  /** A page of a search. */
  page: number
  /** A step of a list. */
  step: number
  /**
   * Looking up takes longer if very many contacts contain a term and the sample does not show it. Then the search
   * compares.
   */
  lookUpMs: number
}
export const defaultScanLimits: ScanLimits = { smallBot: 10_000, page: 1_000_000, step: 50_000, lookUpMs: 1500 }
