/** Limits of new anonymous sessions. */
export interface SessionLimits {
  /** New anonymous sessions per minute of a bot that has no limit of its own. */
  sessionsPerMinute: number
  /** New anonymous sessions per minute from one address. */
  addressSessionsPerMinute: number
}

/**
 * Ours: of ten thousand people behind one address, as in an office or a mobile network, a few dozen open a site's chat in
 * the same minute for the first time. A bot's own limit is ten times as high, so that one address cannot use it up.
 */
export const defaultSessionLimits: SessionLimits = { sessionsPerMinute: 3000, addressSessionsPerMinute: 300 }
