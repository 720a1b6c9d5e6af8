import type { Conversation } from '../../../contract/index.ts'
import type { Database, Queries } from '../database.ts'
import type { BotScope, ConversationKey, NewMessage, NewMessageWithFiles, Store } from '../store.ts'
import { appendWithFiles, organizationUploader } from './attachments.ts'
import { afterAllTimes, type ContactColumns, hasResponderSql, isPaused, toContactSummary } from './common.ts'
import { findConversation } from './conversations.ts'
import { enqueue } from './deliveries.ts'
import { endPause, type PausedConversation } from './handovers.ts'
import { claimKey, storeResult, transactOnce } from './idempotency.ts'
import {
  decideRepetition,
  eventMessage,
  eventsOfMessage,
  type MessageRecord,
  type MessageWithContextRecord,
  messageColumns,
  messageColumnsOf,
  toMessage,
  toMessageWithContext,
} from './messages.ts'
import { hasBot } from './organizations.ts'
import { lockContact } from './sessions.ts'

/** SQL for the messages that end or replace a pause: the pause of an earlier message is no longer that message's. */
const replacesPauseSql = "(author = 'agent' OR event IS NOT NULL)"

/** A conversation as the query of a list finds it, with the columns of its last message. */
interface ListedRecord
  extends MessageWithContextRecord,
    ContactColumns,
    Pick<Conversation, 'lastSeq' | 'readSeq' | 'unread' | 'pausedUntil' | 'waitingSince'> {
  conversationId: string
  begunAt: string
}

function toConversation(record: ListedRecord): Conversation {
  const { conversationId: id, lastSeq, readSeq, unread, pausedUntil, waitingSince, begunAt: createdAt } = record
  const [contact, lastMessage] = [toContactSummary(record), toMessageWithContext(record)]
  return { id, contact, lastSeq, readSeq, unread, lastMessage, pausedUntil, waitingSince, createdAt }
}

export function teamConversations(db: Database) {
  return {
    listConversations: (scope, { after, limit }) =>
      db.transact(
        async tx => {
          if (!(await hasBot(tx, scope))) return 'not_found'
          const rows = await tx.all<ListedRecord>(
            `SELECT v.id AS "conversationId", v.last_seq AS "lastSeq", v.read_seq AS "readSeq",
               v.paused_until AS "pausedUntil", v.waiting_since AS "waitingSince", v.created_at AS "begunAt", c.id AS "contactId", c.name AS "contactName",
               v.unread, ${messageColumnsOf('m')}, m.context
             FROM conversations v JOIN messages m ON m.conversation_id = v.id AND m.seq = v.last_seq
               LEFT JOIN contacts c ON c.id = v.contact_id
             WHERE v.bot_id = $1 AND v.last_message_at IS NOT NULL AND (v.last_message_at, v.id) < ($2, $3)
             ORDER BY v.last_message_at DESC, v.id DESC LIMIT $4`,
            [scope.botId, after?.lastMessageAt ?? afterAllTimes, after?.id ?? '', limit],
          )
          return rows.map(toConversation)
        },
        { isSnapshot: true },
      ),
    async findBotConversation(scope, which) {
      const found = await find(db, scope, which)
      return found ? findConversation(db, found.id) : null
    },
    appendAgentMessage: (scope, { newConversationId, ...which }, { files = [], ...message }, pausedUntil, request) =>
      db.transact(async tx => {
        const claim = await claimKey(tx, scope, request)
        if (typeof claim === 'string') return claim
        const replayed = claim !== undefined
        if (request) await lockContactOf(tx, scope, which)
        const { createdAt } = message
        const found = (await lock(tx, scope, which)) ?? (await begin(tx, scope, which, newConversationId, createdAt))
        if (!found) return 'not_found'
        const conversationId = found.id
        const existing = await tx.one<MessageRecord>(
          `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND id = $2`,
          [conversationId, message.id],
        )
        const handsBack = pausedUntil === null && !replayed && isPaused(found.pausedUntil, createdAt)
        if (existing) {
          const sent = decideRepetition(toMessage(existing), { ...message, files })
          if (sent === 'reused') return sent
          const isHandedBack = handsBack && (await isPauseOf(tx, conversationId, existing.seq))
          if (isHandedBack) await endPause(tx, found, 'handed_back', createdAt)
          await storeResult(tx, scope, request, 'sent', found.contactId)
          return { value: { conversationId, ...sent, isHandedBack }, replayed }
        }
        const events = handsBack && found.hasResponder ? [eventMessage('handed_back', createdAt)] : []
        const by = { uploader: organizationUploader, at: createdAt }
        const sent: [NewMessageWithFiles, ...NewMessage[]] = [{ ...message, files }, ...events]
        const stored = await appendWithFiles(tx, conversationId, sent, by, {
          pause: pausedUntil === null ? null : { until: pausedUntil },
        })
        if (stored === 'file_missing') return stored
        await tx.all('DELETE FROM turns WHERE conversation_id = $1', [conversationId])
        await enqueue(tx, conversationId, stored.createdAt, eventsOfMessage(stored, false))
        await storeResult(tx, scope, request, 'sent', found.contactId)
        return { value: { conversationId, message: stored, repeated: false, isHandedBack: handsBack }, replayed }
      }),
    handBack: (scope, which, at, request) =>
      transactOnce(db, scope, request, noConversation, async tx => {
        const contactId = await lockContactOf(tx, scope, which)
        const found = await lock(tx, scope, which)
        if (!found && contactId === null) return 'not_found'
        const paused = found && isPaused(found.pausedUntil, at) ? found : null
        if (paused) await endPause(tx, paused, 'handed_back', at)
        await storeResult(tx, scope, request, 'handed_back', contactId)
        return { value: paused?.id ?? null, replayed: false }
      }),
  } satisfies Partial<Store>
}

const noConversation = (): string | null => null

interface FoundConversation extends PausedConversation {
  contactId: string | null
  pausedUntil: string | null
}

/** Finds a conversation by its own id or its contact's, within the bot and the organization. */
function find(
  db: Queries,
  { organizationId, botId }: BotScope,
  which: ConversationKey,
  locking = '',
): Promise<FoundConversation | undefined> {
  const [column, id] = 'conversationId' in which ? ['id', which.conversationId] : ['contact_id', which.contactId]
  return db.one<FoundConversation>(
    `SELECT v.id, v.contact_id AS "contactId", v.paused_until AS "pausedUntil", ${hasResponderSql} AS "hasResponder"
     FROM conversations v JOIN bots b ON b.id = v.bot_id
     WHERE v.${column} = $1 AND v.bot_id = $2 AND b.organization_id = $3 ${locking}`,
    [id, botId, organizationId],
  )
}

/** Locks the conversation against other writers until the end of the transaction. */
export function lock(tx: Queries, scope: BotScope, which: ConversationKey): Promise<FoundConversation | undefined> {
  return find(tx, scope, which, 'FOR NO KEY UPDATE OF v')
}

/**
 * Locks the conversation's contact against deletion. Must come before the lock of the conversation if a result will be
 * stored with the contact. Resolves to the contact's id; `null` if there is none.
 */
async function lockContactOf(tx: Queries, scope: BotScope, which: ConversationKey): Promise<string | null> {
  const contactId = 'contactId' in which ? which.contactId : (await find(tx, scope, which))?.contactId
  if (contactId === undefined || contactId === null) return null
  return (await lockContact(tx, { ...scope, contactId }, 'KEY SHARE')) ? contactId : null
}

/** Locks the contact first, in the same order as sign-in and deletion, to avoid deadlocks. */
async function begin(tx: Queries, { organizationId, botId }: BotScope, which: ConversationKey, id: string, at: string) {
  if ('conversationId' in which) return undefined
  return tx.one<FoundConversation>(
    `INSERT INTO conversations (id, bot_id, contact_id, created_at)
     SELECT $1, bot_id, id, $2 FROM contacts WHERE id = $3 AND bot_id = $4 AND organization_id = $5
       FOR KEY SHARE
     RETURNING id, contact_id AS "contactId", paused_until AS "pausedUntil",
       -- Not used: a new conversation is not paused.
       true AS "hasResponder"`,
    [id, at, which.contactId, botId, organizationId],
  )
}

/** Whether the pause is that of the message with this seq: no agent and no event has followed it. */
async function isPauseOf(tx: Queries, conversationId: string, seq: number): Promise<boolean> {
  const later = await tx.one(
    `SELECT seq FROM messages WHERE conversation_id = $1 AND seq > $2 AND ${replacesPauseSql} LIMIT 1`,
    [conversationId, seq],
  )
  return later === undefined
}
