import type { Hours } from '../../../contract/index.ts'
import { addOpenTime, isOpen } from '../../../contract/openings.ts'
import { parseJson, type Queries } from '../database.ts'
import type { Bot, Handover } from '../store.ts'

/** What a bot does while people of the team are away. */
export interface HoursRecord extends Pick<Bot, 'answersWaiting'> {
  /** JSON. */
  hours: string | null
}

/** The columns of `HoursRecord` in a query that names the bots `b`. */
export const hoursColumns = `b.settings ->> 'hours' AS hours, b.settings ->> 'answersWaiting' AS "answersWaiting"`

export const findHours = async (tx: Queries, conversationId: string): Promise<HoursRecord | undefined> =>
  tx.one<HoursRecord>(`SELECT ${hoursColumns} FROM conversations v JOIN bots b ON b.id = v.bot_id WHERE v.id = $1`, [
    conversationId,
  ])

const hoursOf = ({ hours }: HoursRecord) => parseJson<Hours>(hours)

/** Whether the responder answers a visitor who waits for a person. */
export const isWaitingAnswered = (record: HoursRecord, at: string): boolean =>
  record.answersWaiting === 'always' || (record.answersWaiting === 'closed' && !isOpen(hoursOf(record), Date.parse(at)))

/** When a handover ends: only the time counts in which people of the team are there. */
export function handoverEnd(record: HoursRecord, { at, until }: Handover): string {
  const start = Date.parse(at)
  return new Date(addOpenTime(hoursOf(record), start, Date.parse(until) - start)).toISOString()
}
