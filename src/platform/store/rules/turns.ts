import { maxFutureTime } from '../maxFutureTime.ts'
import { closedBotsSql } from '../moves/guards.ts'

const longestLeaseMs = 5 * 60_000

/** The latest time at which a lease of a turn can end. One that ends later was written before the clock was set back. */
export const latestLeaseEnd = (now: string): string => maxFutureTime(now, longestLeaseMs)

/**
 * SQL for whether a turn is due; `now` and `latest`, for `latestLeaseEnd`, are parameters. A turn without a lease has
 * lease_until '', which sorts before every time.
 */
export const dueTurnSql = (now: string, latest: string): string => `(lease_until <= ${now} OR lease_until > ${latest})`

/** SQL for the conversations whose turns nobody may lease; `nowMs` is the engine's expression for its present time. */
export const closedConversationsSql = (nowMs: string): string =>
  `SELECT t.conversation_id FROM turns t JOIN conversations v ON v.id = t.conversation_id
   WHERE v.bot_id IN (${closedBotsSql(nowMs)})`
