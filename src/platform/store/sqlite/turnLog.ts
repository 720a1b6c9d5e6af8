import type { DatabaseSync } from 'node:sqlite'
import {
  countedTurns,
  type LoggedTurn,
  minuteBefore,
  onlyThisTurn,
  type TurnCounts,
  toRecentTurns,
} from '../rules/turnLog.ts'
import type { RecentTurns } from '../store.ts'
import { prepare } from './connection.ts'

/** The log of turns, for their limits. Call it in the writer's transaction. */
export interface TurnLog {
  begin(turn: { botId: string; conversationId: string; source: number | null; at: string }): void
  /** Removes the conversation's latest turn from the log. */
  forget(conversationId: string): void
  /**
   * Counts turns up to and including the conversation's latest one. A turn that is leased again gets the same counts.
   */
  count(conversationId: string): RecentTurns
}

export function turnLog(db: DatabaseSync): TurnLog {
  // Each row holds its number within the day: counting all turns of a busy bot's day would become slower and slower.
  const begin = db.prepare(
    `INSERT INTO turn_log (bot_id, conversation_id, source, begun_at, of_day)
     SELECT $botId, $conversationId, $source, $at, 1 + coalesce(max(of_day), 0) FROM turn_log
     WHERE bot_id = $botId AND substr(begun_at, 1, 10) = substr($at, 1, 10)`,
  )
  const isLatest = 'number = (SELECT max(number) FROM turn_log WHERE conversation_id = ?)'
  const latest = prepare<LoggedTurn>(
    db,
    `SELECT number, bot_id AS botId, source, begun_at AS begunAt, of_day AS ofDay FROM turn_log WHERE ${isLatest}`,
  )
  const forget = db.prepare(`DELETE FROM turn_log WHERE ${isLatest}`)
  // Ignores later times: those turns began before the clock was set back.
  const count = prepare<TurnCounts>(
    db,
    `SELECT ${countedTurns('$conversationId', '$source')} FROM (
       SELECT conversation_id, max(source) AS source, count(*) AS turns FROM turn_log
       WHERE bot_id = $botId AND begun_at > $since AND begun_at <= $begunAt AND number <= $number
       GROUP BY conversation_id)`,
  )

  return {
    begin(turn) {
      begin.run(turn)
    },
    forget(conversationId) {
      forget.run(conversationId)
    },
    count(conversationId) {
      const turn = latest.get(conversationId)
      if (!turn) return onlyThisTurn
      const { ofDay, ...counted } = turn
      const counts = count.get({ ...counted, conversationId, since: minuteBefore(turn.begunAt) })
      return counts ? toRecentTurns(counts, ofDay) : onlyThisTurn
    },
  }
}
