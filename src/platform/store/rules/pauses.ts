import { maxAgentPauseMs } from '../../../contract/index.ts'
import { maxFutureTime } from '../maxFutureTime.ts'

/** The latest time at which a pause can end. One that ends later was written before the clock was set back. */
export const latestPauseEnd = (now: string): string => maxFutureTime(now, maxAgentPauseMs)

/** Whether the responder is paused. A pause that ends later than any pause can does not count. */
export const isPaused = (pausedUntil: string | null, now: string): boolean =>
  pausedUntil !== null && pausedUntil > now && pausedUntil <= latestPauseEnd(now)

/** SQL for the conversations whose handover has expired; `now` and `latest`, for `latestPauseEnd`, are parameters. */
export const expiredHandoverSql = (now: string, latest: string): string =>
  `waiting_since IS NOT NULL AND (paused_until <= ${now} OR paused_until > ${latest})`

/** SQL for the messages that end or replace a pause: the pause of an earlier message is no longer that message's. */
export const replacesPauseSql = "(author = 'agent' OR event IS NOT NULL)"
