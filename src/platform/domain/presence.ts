import type { Presence } from '../../contract/desk.ts'
import type { MemberRow } from '../store/store.ts'

/** Every node records this often which members have an open stream. */
export const presenceRoundMs = 30_000

/** A member is online for this long after it was last recorded: a node may miss a round or two. */
const onlineForMs = 2 * 60_000
/** One that is away is recorded no more. It is shown as away for this long, because it may have left. */
const awayForMs = 60 * 60_000

/** Whether a member is at the desk, from what the store has recorded. */
export function presenceOf({ isAway, activeAt }: Pick<MemberRow, 'isAway' | 'activeAt'>, now: number): Presence {
  const inactiveMs = activeAt === null ? Number.POSITIVE_INFINITY : now - Date.parse(activeAt)
  if (inactiveMs >= (isAway ? awayForMs : onlineForMs)) return 'off'
  return isAway ? 'away' : 'online'
}
