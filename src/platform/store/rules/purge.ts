/** The SQL for the time at which a session is over: its end, or else its expiry. The index has the same expression. */
export const endOfSessionSql = 'coalesce(ended_at, expires_at)'

const dayMs = 24 * 60 * 60 * 1000

/** How long the log of turns is kept. The limits of turns look back a day at most. */
const turnLogKeptMs = 2 * dayMs

/** How long an event waits for its webhook at most, however often it was tried. */
const deliveryKeptMs = 7 * dayMs

/** How many rows of conversations a transaction deletes at most, so that others do not wait for long. */
export const eraseBatchSize = 500

/** How many rows of each kind a batch of a purge deletes, so that other writes can run in between. */
export const purgeBatchSize = 500

const before = (now: string, ms: number): string => new Date(Date.parse(now) - ms).toISOString()

/** The time before which entries of the turn log can be deleted. */
export const turnLogLimit = (now: string): string => before(now, turnLogKeptMs)

/** The time before which events are dropped that no webhook has accepted. */
export const deliveryLimit = (now: string): string => before(now, deliveryKeptMs)
