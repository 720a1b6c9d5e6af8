/** Limits of new anonymous sessions, and of what comes before a session. */
export interface SessionLimits {
  /** New anonymous sessions per minute of a bot that has no limit of its own. */
  sessionsPerMinute: number
  /** New anonymous sessions per minute from one address. */
  addressSessionsPerMinute: number
  /**
   * Requests per minute and address that need no token and look something up, such as a bot's profile. The same number may be
   * refused before their token is checked.
   */
  addressLookUpsPerMinute: number
}

/**
 * Ten thousand people can share one address, in an office or a mobile network. A few dozen of them may open a site's
 * chat for the first time in the same minute. The limit of a bot is ten times as high, so that one address cannot use it up.
 */
export const defaultSessionLimits: SessionLimits = {
  sessionsPerMinute: 3000,
  addressSessionsPerMinute: 300,
  addressLookUpsPerMinute: 3000,
}
