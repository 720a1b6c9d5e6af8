import type { LeasedTurn } from '../store.ts'
import type { Queries } from './connection.ts'

const minuteMs = 60_000

/** Logs turns that begin now. Locks their bots, so that concurrent nodes count a bot's turns one after the other. */
export async function beginTurns(
  tx: Queries,
  turns: { botId: string; conversationId: string }[],
  at: string,
): Promise<void> {
  if (turns.length === 0) return
  await tx.all('SELECT id FROM bots WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [
    turns.map(({ botId }) => botId),
  ])
  // A running number: counting all turns of a busy bot's day each time would become slower and slower.
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

/** The counts up to and including the conversation's latest turn. A turn that is leased again gets the same counts. */
export async function countTurns(tx: Queries, conversationId: string): Promise<LeasedTurn['begun']> {
  const record = await tx.one<TurnRecord>(
    `SELECT number, bot_id AS "botId", begun_at AS "begunAt", of_day AS "ofDay" FROM turn_log
     WHERE conversation_id = $1 ORDER BY number DESC LIMIT 1`,
    [conversationId],
  )
  // The turn is so old that it has been purged from the log.
  if (!record) return { ofConversation: 1, ofBot: 1, ofAnonymous: 1, ofBotToday: 1 }
  const { number, botId, begunAt, ofDay } = record
  const since = new Date(Date.parse(begunAt) - minuteMs).toISOString()
  // Ignore later times: those turns began before the clock was set back.
  const counts = await tx.one<Omit<LeasedTurn['begun'], 'ofBotToday'>>(
    `SELECT count(*) FILTER (WHERE l.conversation_id = $5) AS "ofConversation", count(*) AS "ofBot",
       count(v.id) FILTER (WHERE v.contact_id IS NULL) AS "ofAnonymous"
     FROM turn_log l LEFT JOIN conversations v ON v.id = l.conversation_id
     WHERE l.bot_id = $1 AND l.begun_at > $2 AND l.begun_at <= $3 AND l.number <= $4`,
    [botId, since, begunAt, number, conversationId],
  )
  return { ofConversation: 1, ofBot: 1, ofAnonymous: 1, ...counts, ofBotToday: ofDay }
}

interface TurnRecord {
  number: number
  botId: string
  begunAt: string
  ofDay: number
}
