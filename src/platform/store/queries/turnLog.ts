import type { Queries } from '../database.ts'
import type { RecentTurns } from '../store.ts'
import { timeBefore } from './common.ts'

/** The conversation's latest turn in the log. */
interface LoggedTurn {
  number: number
  botId: string
  source: number | null
  begunAt: string
  ofDay: number
}

/**
 * The columns that count the turns of a bot, selected from one row for each conversation with its number of `turns` and
 * its `source`. The conversation of the turn in question is $5, its source $6.
 */
const countColumns = Object.entries({
  ofConversation: 'sum(turns) FILTER (WHERE conversation_id = $5)',
  ofBot: 'sum(turns)',
  ofAnonymous: 'sum(turns) FILTER (WHERE source IS NOT NULL)',
  ofSource: 'sum(turns) FILTER (WHERE source = $6::integer)',
  conversationsOfBot: 'count(*)',
  conversationsOfAnonymous: 'count(source)',
  conversationsOfSource: 'count(*) FILTER (WHERE source = $6::integer)',
} satisfies Record<Exclude<keyof RecentTurns, 'ofBotToday'>, string>)
  .map(([name, count]) => `cast(coalesce(${count}, 0) AS integer) AS "${name}"`)
  .join(', ')

/** The counts for a turn that is so old that it has been purged from the log. */
const onlyThisTurn: RecentTurns = {
  ...{ ofConversation: 1, ofBot: 1, ofAnonymous: 1, ofSource: 1, ofBotToday: 1 },
  ...{ conversationsOfBot: 1, conversationsOfAnonymous: 1, conversationsOfSource: 1 },
}

const minuteMs = 60_000

/** Logs turns that begin now. The caller has locked their bots, so that no other node counts their turns meanwhile. */
export async function beginTurns(
  tx: Queries,
  turns: { botId: string; conversationId: string; source: number | null }[],
  at: string,
): Promise<void> {
  // Each row holds its number within the day: counting all turns of a busy bot's day would become slower and slower.
  for (const { botId, conversationId, source } of turns)
    await tx.all(
      `INSERT INTO turn_log (bot_id, conversation_id, begun_at, source, of_day)
       SELECT $1, $2, $3, $4, 1 + coalesce(max(of_day), 0) FROM turn_log
       WHERE bot_id = $1 AND substr(begun_at, 1, 10) = substr($3, 1, 10)`,
      [botId, conversationId, at, source],
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
    `SELECT number, bot_id AS "botId", source, begun_at AS "begunAt", of_day AS "ofDay" FROM turn_log
     WHERE conversation_id = $1 ORDER BY number DESC LIMIT 1`,
    [conversationId],
  )
  if (!turn) return onlyThisTurn
  const { number, botId, source, begunAt, ofDay } = turn
  // Ignores later times: those turns began before the clock was set back.
  const counts = await tx.one<Omit<RecentTurns, 'ofBotToday'>>(
    `SELECT ${countColumns} FROM (
       SELECT conversation_id, max(source) AS source, count(*) AS turns FROM turn_log
       WHERE bot_id = $1 AND begun_at > $2 AND begun_at <= $3 AND number <= $4
       GROUP BY conversation_id) c`,
    [botId, timeBefore(begunAt, minuteMs), begunAt, number, conversationId, source],
  )
  return { ...onlyThisTurn, ...counts, ofBotToday: ofDay }
}
