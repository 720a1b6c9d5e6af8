/** How a search chooses its way; in a file that knows no engine, since users see it in the store's options. */
export interface SearchLimits {
  /** Up to so many contacts of a bot are read rather than looked up. */
  scanned: number
  /** So many that are looked up are read one by one in a narrow search. */
  indexed: number
  /** So many contacts a step of a list reads rather than looks up. */
  step: number
}
export const defaultSearchLimits: SearchLimits = { scanned: 10_000, indexed: 1000, step: 20_000 }
