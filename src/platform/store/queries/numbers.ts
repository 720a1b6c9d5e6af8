import type { UnansweredQuestion } from '../../../contract/deskNumbers.ts'
import type { Database, Dialect } from '../database.ts'
import type { DayNumbers, DeskStore } from '../store.ts'
import { visitorWaitsSql } from './teamConversations.ts'

/** How many questions without an answer are listed, and how much of each. */
const maxUnanswered = 20
const maxQuestionLength = 300
/** Who asks for a person within so many seconds after the responder's answer was not helped by it. */
const unhelpfulSeconds = 3600

const secondsSql = (time: string): string => `floor(extract(epoch FROM ${time}::timestamptz))::bigint`

/**
 * The numbers of each day that has some, and in the row without a day those of all together. `person` is the first message of
 * a person in a conversation on a day, `asked` how many messages of the visitor wanted an answer.
 */
const numbersSql = (isInTime: string): string => `WITH
  -- What has happened in each conversation on each day.
  days AS (
    SELECT m.conversation_id AS id, CAST((${secondsSql('m.created_at')} + $3) / 86400 AS bigint) AS day,
      count(*) FILTER (WHERE ${visitorWaitsSql}) AS asked, count(*) FILTER (WHERE m.author = 'bot') AS answers,
      count(*) FILTER (WHERE m.event = 'handover_requested') AS handovers,
      count(*) FILTER (WHERE m.rating = 'up') AS up, count(*) FILTER (WHERE m.rating = 'down') AS down,
      min(m.seq) FILTER (WHERE m.author = 'agent') AS person,
      min(m.created_at) FILTER (WHERE m.author = 'agent') AS person_at
    FROM conversations v JOIN messages m ON m.conversation_id = v.id
    WHERE v.bot_id = ANY ($1) AND v.last_message_at >= $2 AND m.created_at >= $2 AND ${isInTime}
    GROUP BY m.conversation_id, day
  ),
  -- For how many seconds the visitor had waited for the first message of a person.
  timed AS MATERIALIZED (
    SELECT days.*, (
      SELECT ${secondsSql('person_at')} - ${secondsSql('min(m.created_at)')} FROM messages m
      WHERE m.conversation_id = days.id AND m.seq < person AND ${visitorWaitsSql} AND m.seq > coalesce((SELECT max(seq)
        FROM messages WHERE conversation_id = days.id AND seq < person AND author IN ('bot', 'agent')), 0)
    ) AS waited_s FROM days
  ),
  -- All again for the row without a day. Each wait with its rank on the day, and how many there are.
  ranked AS (
    SELECT each.*, row_number() OVER (PARTITION BY day ORDER BY waited_s NULLS LAST) AS rank,
      count(waited_s) OVER (PARTITION BY day) AS waits
    FROM (SELECT * FROM timed UNION ALL
      SELECT id, NULL, asked, answers, handovers, up, down, person, person_at, waited_s FROM timed) AS each
  )
  SELECT day, count(*) FILTER (WHERE asked > 0) AS conversations,
    count(*) FILTER (WHERE asked > 0 AND answers > 0 AND handovers = 0 AND person IS NULL) AS "byBot",
    count(*) FILTER (WHERE handovers > 0) AS "handedOver", sum(up)::bigint AS up, sum(down)::bigint AS down,
    min(waited_s) FILTER (WHERE rank * 2 >= waits) AS median, min(waited_s) FILTER (WHERE rank * 10 >= waits * 9) AS p90
  FROM ranked GROUP BY day ORDER BY day NULLS LAST`

/** The index has the order of the conversations, so that no more of them are read than are listed. */
const unansweredSql = `SELECT v.id AS "conversationId", v.last_message_at AS "lastMessageAt", c.name AS "contactName",
    substr(q.text, 1, ${maxQuestionLength}) AS question, q.created_at AS "askedAt",
    CASE v.rating WHEN 'down' THEN 'rated_down' ELSE 'handed_over' END AS reason
  FROM (
    SELECT v.id, v.last_message_at, v.contact_id, b.seq, b.rating
    FROM conversations v JOIN messages b ON b.conversation_id = v.id
    WHERE v.bot_id = $1 AND v.last_message_at >= $2 AND b.created_at >= $2 AND b.author = 'bot' AND (b.rating = 'down' OR (
      SELECT CASE n.event WHEN 'handover_requested' THEN ${secondsSql('n.created_at')} END FROM messages n
      WHERE n.conversation_id = v.id AND n.seq > b.seq AND (n.event = 'handover_requested' OR n.author IN ('bot', 'agent'))
      ORDER BY n.seq LIMIT 1
    ) - ${secondsSql('b.created_at')} <= ${unhelpfulSeconds})
    ORDER BY v.last_message_at DESC, v.id DESC, b.seq DESC LIMIT ${maxUnanswered}
  ) AS v JOIN messages q ON q.conversation_id = v.id AND q.seq = (SELECT max(seq) FROM messages
      WHERE conversation_id = v.id AND seq < v.seq AND author = 'visitor' AND text <> '')
    LEFT JOIN contacts c ON c.id = v.contact_id
  ORDER BY v.last_message_at DESC, v.id DESC, v.seq DESC`

export function numbers(db: Database, { search }: Dialect): Pick<DeskStore, 'computeNumbers'> {
  return {
    computeNumbers: (_, { botIds, since, offsetSeconds }) =>
      db.transact(
        async tx => {
          const days = await tx.all<DayNumbers>(numbersSql(search.isInTime('v.rowid')), [botIds, since, offsetSeconds])
          const unanswered: (UnansweredQuestion & { lastMessageAt: string })[] = []
          for (const botId of botIds)
            unanswered.push(...(await tx.all<(typeof unanswered)[number]>(unansweredSql, [botId, since])))
          const latest = unanswered
            .sort((a, b) => Number(a.lastMessageAt < b.lastMessageAt) - Number(a.lastMessageAt > b.lastMessageAt))
            .slice(0, maxUnanswered)
          return { days, unanswered: latest.map(({ lastMessageAt: _, ...question }) => question) }
        },
        { isSnapshot: true },
      ),
  }
}
