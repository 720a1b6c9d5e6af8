import type { Queries } from '../database.ts'
import type { RecentTurns } from '../store.ts'
import { timeBefore } from './common.ts'

/** The conversation's latest turn in the log. */
interface LoggedTurn {
  number: number
  botId: string
  begunAt: string
  ofDay: number
}

const minuteMs = 60_000

/** Logs turns that begin now. The caller has locked their bots, so that no other node counts their turns meanwhile. */
export async function beginTurns(
  tx: Queries,
  turns: { botId: string; conversationId: string }[],
  at: string,
): Promise<void> {
  // Each row holds its number within the day: counting all turns of a busy bot's day would become slower and slower.
  for (const { botId, conversationId } of turns)
    await tx.all(
      `INSERT INTO turn_log (bot_id, conversation_id, begun_at, of_day)
       SELECT $1, $2, $3, 1 + coalesce(max(of_day), 0) FROM turn_log
       WHERE bot_id = $1 AND substr(begun_at, 1, 10) = substr($3, 1, 10)`,
      [botId, conversationId, at],
    )
}

/** Removes the conversation's latest turn from the log. */
export async function forgetTurn(tx: Queries, conversationId: string): Promise<void> {
  await tx.all('DELETE FROM turn_log WHERE number = (SELECT max(number) FROM turn_log WHERE conversation_id = $1)', [
    conversationId,
  ])
}

/** Counts turns up to and including the conversation's latest one. A turn that is leased again gets the same counts. */
export async function countTurns(tx: Queries, conversationId: string): Promise<RecentTurns> {
  const turn = await tx.one<LoggedTurn>(
    `SELECT number, bot_id AS "botId", begun_at AS "begunAt", of_day AS "ofDay" FROM turn_log
     WHERE conversation_id = $1 ORDER BY number DESC LIMIT 1`,
    [conversationId],
  )
  // The turn is so old that it has been purged from the log.
  if (!turn) return { ofConversation: 1, ofBot: 1, ofBotToday: 1 }
  const { number, botId, begunAt, ofDay } = turn
  // Ignores later times: those turns began before the clock was set back.
  const counts = await tx.one<Omit<RecentTurns, 'ofBotToday'>>(
    `SELECT count(*) AS "ofBot", count(*) FILTER (WHERE conversation_id = $5) AS "ofConversation" FROM turn_log
     WHERE bot_id = $1 AND begun_at > $2 AND begun_at <= $3 AND number <= $4`,
    [botId, timeBefore(begunAt, minuteMs), begunAt, number, conversationId],
  )
  return { ofConversation: 1, ofBot: 1, ...counts, ofBotToday: ofDay }
}
