import type { Hours } from '../../../contract/index.ts'
import { addOpenTime, isOpen } from '../../../contract/openings.ts'
import { parseJson, type Queries } from '../database.ts'
import type { Bot, Handover } from '../store.ts'

/** What a bot does while people of the team are away. */
export interface HoursRecord extends Pick<Bot, 'answersWhileWaiting'> {
  /** JSON. */
  hours: string | null
}

/** The columns of `HoursRecord` in a query that names the bots `b`. */
export const hoursColumns = `b.settings ->> 'hours' AS hours, b.settings ->> 'answersWhileWaiting' AS "answersWhileWaiting"`

const hoursOf = ({ hours }: HoursRecord) => parseJson<Hours>(hours)

/** Whether the responder answers a visitor who waits for a person. */
export const answersWhileWaiting = (record: HoursRecord, at: string): boolean =>
  record.answersWhileWaiting === 'always' ||
  (record.answersWhileWaiting === 'closed' && !isOpen(hoursOf(record), Date.parse(at)))

/** When a handover ends: only the time counts in which people of the team are there. */
export async function handoverEnd(tx: Queries, conversationId: string, { at, timeoutMs }: Handover): Promise<string> {
  const [bot] = await tx.all<HoursRecord>(
    `SELECT ${hoursColumns} FROM conversations v JOIN bots b ON b.id = v.bot_id WHERE v.id = $1`,
    [conversationId],
  )
  return new Date(addOpenTime(bot ? hoursOf(bot) : null, Date.parse(at), timeoutMs)).toISOString()
}
