/** When a session was over, as SQL and as its index has it: when it was ended, or else when it expires. */
export const endOfSession = 'coalesce(ended_at, expires_at)'

const dayMs = 24 * 60 * 60 * 1000

/** How long the log of turns is kept. The limits of turns look back a day at most. */
const turnLogKeptMs = 2 * dayMs

/** Entries of the turn log from before this time can go. */
export const turnLogLimit = (now: string): string => new Date(Date.parse(now) - turnLogKeptMs).toISOString()
