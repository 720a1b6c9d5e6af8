/** The SQL for the time at which a session is over: its end, or else its expiry. The index has the same expression. */
export const endOfSessionSql = 'coalesce(ended_at, expires_at)'

const dayMs = 24 * 60 * 60 * 1000

/** How long the log of turns is kept. The limits of turns look back a day at most. */
const turnLogKeptMs = 2 * dayMs

/** The time before which entries of the turn log can be deleted. */
export const turnLogLimit = (now: string): string => new Date(Date.parse(now) - turnLogKeptMs).toISOString()
