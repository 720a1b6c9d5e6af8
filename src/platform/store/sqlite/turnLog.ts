import type { DatabaseSync } from 'node:sqlite'
import type { LeasedTurn } from '../store.ts'
import { prepare } from './connection.ts'

/** The log of turns, for their limits. Call it in the writer's transaction. */
export interface TurnLog {
  begin(botId: string, conversationId: string, at: string): void
  /** Removes the conversation's latest turn from the log. */
  forget(conversationId: string): void
  /**
   * The counts up to and including the conversation's latest turn. A turn that is leased again gets the same counts.
   */
  count(conversationId: string): LeasedTurn['begun']
}

const minuteMs = 60_000

export function turnLog(db: DatabaseSync): TurnLog {
  // A running number: counting all turns of a busy bot's day each time would become slower and slower.
  const begin = db.prepare(
    `INSERT INTO turn_log (bot_id, conversation_id, begun_at, of_day)
     SELECT $botId, $conversationId, $at, 1 + coalesce(max(of_day), 0) FROM turn_log
     WHERE bot_id = $botId AND substr(begun_at, 1, 10) = substr($at, 1, 10)`,
  )
  const isLatest = 'number = (SELECT max(number) FROM turn_log WHERE conversation_id = ?)'
  const latest = prepare<TurnRecord>(
    db,
    `SELECT number, bot_id AS botId, begun_at AS begunAt, of_day AS ofDay FROM turn_log WHERE ${isLatest}`,
  )
  const forget = db.prepare(`DELETE FROM turn_log WHERE ${isLatest}`)
  // Ignore later times: those turns began before the clock was set back.
  const sum = (column: string) =>
    prepare<{ sum: number }>(
      db,
      `SELECT count(*) AS sum FROM turn_log WHERE ${column} = ? AND begun_at > ? AND begun_at <= ? AND number <= ?`,
    )
  const [ofConversation, ofBot] = [sum('conversation_id'), sum('bot_id')]
  const ofAnonymous = prepare<{ sum: number }>(
    db,
    `SELECT count(*) AS sum FROM turn_log l JOIN conversations v ON v.id = l.conversation_id
     WHERE l.bot_id = ? AND l.begun_at > ? AND l.begun_at <= ? AND l.number <= ? AND v.contact_id IS NULL`,
  )

  return {
    begin(botId, conversationId, at) {
      begin.run({ botId, conversationId, at })
    },
    forget(conversationId) {
      forget.run(conversationId)
    },
    count(conversationId) {
      const record = latest.get(conversationId)
      // The turn is so old that it has been purged from the log.
      if (!record) return { ofConversation: 1, ofBot: 1, ofAnonymous: 1, ofBotToday: 1 }
      const { number, botId, begunAt, ofDay } = record
      const since = new Date(Date.parse(begunAt) - minuteMs).toISOString()
      return {
        ofConversation: ofConversation.get(conversationId, since, begunAt, number)?.sum ?? 1,
        ofBot: ofBot.get(botId, since, begunAt, number)?.sum ?? 1,
        ofAnonymous: ofAnonymous.get(botId, since, begunAt, number)?.sum ?? 1,
        ofBotToday: ofDay,
      }
    },
  }
}

interface TurnRecord {
  number: number
  botId: string
  begunAt: string
  ofDay: number
}
