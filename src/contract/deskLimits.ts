// Imports nothing, so that the app of the desk does not load the schemas.

/** The lists of the inbox. */
export const deskViews = ['waiting', 'mine', 'unassigned', 'bot', 'closed', 'all'] as const

/** What the inbox can be restricted to: conversations of the last days. */
export const deskFilterDays = ['1', '7', '30'] as const

/** The most characters of a search in the inbox. */
export const maxDeskQueryLength = 200

/** Passwords have no rules but a length (NIST SP 800-63B). */
export const passwordLength = { min: 10, max: 200 }

/** The most saved replies that a member has, its own and the shared ones together, and the most characters of a title. */
export const maxSavedReplies = 500
export const maxSavedReplyTitle = 100

/** Over how many days the numbers can go. */
export const numbersPeriods = [7, 30, 90] as const
/** The time, in milliseconds, within which they are answered: they are computed when they are asked for. */
export const numbersTimeLimitMs = 12_000
