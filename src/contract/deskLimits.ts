// Imports nothing, so that the app of the desk does not load the schemas.

/** The lists of the inbox. */
export const deskViews = ['waiting', 'mine', 'unassigned', 'bot', 'closed', 'all'] as const

/** Passwords have no rules but a length (NIST SP 800-63B). */
export const passwordLength = { min: 10, max: 200 }
