import { maxFutureTime } from '../maxFutureTime.ts'

const longestLeaseMs = 5 * 60_000

/** The latest time at which a lease of a turn can end. One that ends later was written before the clock was set back. */
export const latestLeaseEnd = (now: string): string => maxFutureTime(now, longestLeaseMs)

/**
 * SQL for whether a turn is due; `now` and `latest`, for `latestLeaseEnd`, are parameters. A turn without a lease has
 * lease_until '', which sorts before every time.
 */
export const dueTurnSql = (now: string, latest: string): string => `(lease_until <= ${now} OR lease_until > ${latest})`

/** SQL for the time of the first message that the turn of the row `turn` answers. */
export const firstMessageSql = (turn: string): string =>
  `(SELECT m.created_at FROM messages m WHERE m.conversation_id = ${turn}.conversation_id AND m.seq = ${turn}.from_seq)`
