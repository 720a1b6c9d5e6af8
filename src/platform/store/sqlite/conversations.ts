import type { DatabaseSync } from 'node:sqlite'
import type { Attributes } from '../../../contract/index.ts'
import { hasResponderSql } from '../rules/bots.ts'
import { type ConversationRecord, sumOf, toConversationRow } from '../rules/conversations.ts'
import { messageColumns } from '../rules/messageColumns.ts'
import { contextOf, eventsOfMessage, withContext } from '../rules/messages.ts'
import { isPaused } from '../rules/pauses.ts'
import { openSessionSql } from '../rules/sessions.ts'
import { countsAsUnreadSql, isUnreadReportedSql } from '../rules/unread.ts'
import type { ConversationStore, EndedSession, Position, Store } from '../store.ts'
import { prepare, type Sync } from './connection.ts'
import { prepareEnqueue, prepareWithdrawUnreadNotice } from './deliveries.ts'
import {
  type MessageRecord,
  type MessageWithContextRecord,
  prepareAppendRepeatable,
  toMessage,
  toMessageWithContext,
} from './messages.ts'

export type ConversationReads = Sync<
  Pick<
    ConversationStore,
    'listMessages' | 'listMessagesWithContext' | 'listMessagesAfter' | 'listMessagesChangedAfter' | 'findConversation'
  >
>
export type ConversationWrites = Sync<Pick<ConversationStore, 'appendVisitorMessage' | 'markRead'>>
export type Sweep = Sync<Pick<Store, 'sweep'>>

export function conversationReads(db: DatabaseSync): ConversationReads {
  const before = 'FROM messages WHERE conversation_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?'
  const plain = prepare<MessageRecord>(db, `SELECT ${messageColumns} ${before}`)
  const full = prepare<MessageWithContextRecord>(db, `SELECT ${messageColumns}, context ${before}`)
  const after = prepare<MessageRecord>(
    db,
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const changedAfter = prepare<MessageRecord & { revision: number }>(
    db,
    `SELECT ${messageColumns}, revision FROM messages
     WHERE conversation_id = ? AND revision > ? ORDER BY revision LIMIT ?`,
  )
  const conversation = prepare<ConversationRecord>(
    db,
    `SELECT v.id, v.bot_id AS botId, v.last_seq AS lastSeq, v.read_seq AS readSeq, c.id AS contactId,
       c.name AS contactName, v.unread, v.revision, v.locale
     FROM conversations v LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = ?`,
  )
  return {
    listMessagesWithContext: (id, page) =>
      full
        .all(id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit)
        .map(toMessageWithContext)
        .reverse(),
    listMessages: (id, page) =>
      plain
        .all(id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit)
        .map(toMessage)
        .reverse(),
    listMessagesAfter: (id, seq, limit) => after.all(id, seq, limit).map(toMessage),
    listMessagesChangedAfter: (id, known, limit) =>
      changedAfter.all(id, known, limit).map(row => ({ revision: row.revision, message: toMessage(row) })),
    findConversation(id) {
      const row = conversation.get(id)
      return row ? toConversationRow(row) : null
    },
  }
}

export function conversationWrites(db: DatabaseSync): ConversationWrites {
  const append = prepareAppendRepeatable(db)
  const enqueue = prepareEnqueue(db)
  const withdrawUnreadNotice = prepareWithdrawUnreadNotice(db)
  const openConversation = prepare<OpenConversation>(
    db,
    `SELECT v.id, v.is_begun AS isBegun, v.paused_until AS pausedUntil, ${isUnreadReportedSql} AS isReported,
       v.locale AS knownLocale, c.attributes, ${hasResponderSql} AS hasResponder
     FROM sessions s JOIN conversations v ON v.id = s.conversation_id JOIN bots b ON b.id = v.bot_id LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE s.hash = ? AND ${openSessionSql('?')}`,
  )
  const begin = db.prepare('UPDATE conversations SET is_begun = 1 WHERE id = ?')
  const setLocale = db.prepare('UPDATE conversations SET locale = ? WHERE id = ?')
  const awaitTurn = db.prepare(
    `INSERT INTO turns (conversation_id, from_seq, last_seq, source) VALUES ($id, $seq, $seq, $source)
     ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq, source = excluded.source`,
  )
  const read = prepare<{ readSeq: number; unread: number }>(
    db,
    `UPDATE conversations SET read_seq = max(read_seq, min($seq, last_seq)),
       unread = iif($seq >= last_seq, 0, unread - (SELECT count(*) FROM messages
         WHERE conversation_id = $id AND seq > conversations.read_seq AND seq <= $seq AND ${countsAsUnreadSql})),
       -- A contact who reads on is given time to read the rest.
       unread_since = CASE WHEN $seq >= last_seq OR contact_id IS NULL THEN NULL
         WHEN $seq > read_seq THEN $at ELSE unread_since END
     WHERE id = $id RETURNING read_seq AS readSeq, unread`,
  )

  return {
    appendVisitorMessage(hash, { claimed, locale = null, ...message }, source = null) {
      const conversation = openConversation.get(hash, message.createdAt)
      if (!conversation) return 'ended'
      const { id, isBegun, pausedUntil, knownLocale, hasResponder, attributes } = conversation
      const context = contextOf(claimed, attributes === null ? null : (JSON.parse(attributes) as Attributes))
      const sent = append(id, message, hash, context)
      if (typeof sent === 'string' || sent.repeated) return sent
      if (hasResponder === 1 && !isPaused(pausedUntil, message.createdAt))
        awaitTurn.run({ id, seq: sent.message.seq, source })
      if (!isBegun) begin.run(id)
      if (locale !== null && locale !== knownLocale) setLocale.run(locale, id)
      enqueue(id, message.createdAt, eventsOfMessage(withContext(sent.message, context), !isBegun))
      return sent
    },
    markRead(hash, seq, at) {
      const conversation = openConversation.get(hash, at)
      if (!conversation) return 'ended'
      const { id, isReported } = conversation
      const row = read.get({ seq, at, id })
      if (isReported === 1 && row?.unread === 0) withdrawUnreadNotice(id)
      return row?.readSeq ?? 'ended'
    },
  }
}

export function sweepReads(db: DatabaseSync): Sweep {
  // None of the three numbers decreases, so their sum shows whether one has increased. CROSS JOIN forces one lookup per
  // requested row.
  const conversations = prepare<Position>(
    db,
    `SELECT v.id, v.last_seq AS lastSeq, v.read_seq AS readSeq, v.revision FROM json_each(?) known
       CROSS JOIN conversations v ON v.id = known.key
     WHERE v.last_seq + v.read_seq + v.revision > known.value`,
  )
  // `LEFT JOIN` also looks up each row that is requested, and finds the missing ones.
  const notOpen = prepare<EndedSession | { hash: string; conversationId: null; reason: 'missing' }>(
    db,
    `SELECT asked.value AS hash, s.conversation_id AS conversationId,
       CASE WHEN s.hash IS NULL THEN 'missing' ELSE coalesce(s.end_reason, 'expired') END AS reason
     FROM json_each(?) asked LEFT JOIN sessions s ON s.hash = asked.value
     WHERE s.hash IS NULL OR NOT (${openSessionSql('?')})`,
  )
  return {
    sweep({ conversations: known, hashes, now }) {
      const sums = Object.fromEntries(known.map(position => [position.id, sumOf(position)]))
      const sessions = notOpen.all(JSON.stringify(hashes), now)
      return {
        conversations: conversations.all(JSON.stringify(sums)).map(row => ({ ...row })),
        ended: sessions.flatMap(row => (row.reason === 'missing' ? [] : [{ ...row }])),
        missing: sessions.flatMap(({ hash, reason }) => (reason === 'missing' ? [hash] : [])),
      }
    },
  }
}

interface OpenConversation {
  id: string
  isBegun: number
  pausedUntil: string | null
  /** Whether the organization was told of the unread messages. */
  isReported: number
  knownLocale: string | null
  hasResponder: number
  /** The attributes of the contact, as JSON. */
  attributes: string | null
}
