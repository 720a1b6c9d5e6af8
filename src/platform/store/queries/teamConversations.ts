import type { Conversation, Message } from '../../../contract/index.ts'
import type { Database, Queries } from '../database.ts'
import type { BotScope, ConversationKey, NewMessage, NewMessageWithFiles, StateChange, Store } from '../store.ts'
import { appendWithFiles, organizationUploader } from './attachments.ts'
import { afterAllTimes, type ContactColumns, hasResponderSql, toContactSummary } from './common.ts'
import { isPaused, nextStatus, statusColumns } from './conversationStatus.ts'
import { findConversation } from './conversations.ts'
import { enqueue } from './deliveries.ts'
import { type AnsweredConversation, handBack } from './handovers.ts'
import { claimKey, storeResult, transactOnce } from './idempotency.ts'
import {
  type AppendOptions,
  changeStatus,
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
import { eventNote } from './notes.ts'
import { hasBot } from './organizations.ts'
import { lockContact } from './sessions.ts'

/** SQL for the messages that end or replace a pause: the pause of an earlier message is no longer that message's. */
const replacesPauseSql = "(author = 'agent' OR event IS NOT NULL)"

/** A conversation as the query of a list finds it, with the columns of its last message. */
interface ListedRecord
  extends MessageWithContextRecord,
    ContactColumns,
    Pick<Conversation, 'lastSeq' | 'readSeq' | 'unread' | 'state' | 'assignee' | 'pausedUntil' | 'waitingSince'> {
  conversationId: string
  begunAt: string
}

function toConversation(record: ListedRecord): Conversation {
  const { conversationId: id, lastSeq, readSeq, unread, begunAt: createdAt } = record
  const { state, assignee, pausedUntil, waitingSince } = record
  const [contact, lastMessage] = [toContactSummary(record), toMessageWithContext(record)]
  return { id, contact, lastSeq, readSeq, unread, lastMessage, state, assignee, pausedUntil, waitingSince, createdAt }
}

export function teamConversations(db: Database) {
  return {
    listConversations: (scope, { after, limit }) =>
      db.transact(
        async tx => {
          if (!(await hasBot(tx, scope))) return 'not_found'
          const rows = await tx.all<ListedRecord>(
            `SELECT v.id AS "conversationId", v.last_seq AS "lastSeq", v.read_seq AS "readSeq",
               ${statusColumns}, a.name AS assignee, v.created_at AS "begunAt", c.id AS "contactId",
               c.name AS "contactName", v.unread, ${messageColumnsOf('m')}, m.context
             FROM conversations v JOIN messages m ON m.conversation_id = v.id AND m.seq = v.last_seq
               LEFT JOIN contacts c ON c.id = v.contact_id LEFT JOIN members a ON a.id = v.assignee_id
             WHERE v.bot_id = $1 AND v.last_message_at IS NOT NULL AND (v.last_message_at, v.id) < ($2, $3)
             ORDER BY v.last_message_at DESC, v.id DESC LIMIT $4`,
            [scope.botId, after?.at ?? afterAllTimes, after?.id ?? '', limit],
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
        const sent = { ...message, files }
        const handsBack = pausedUntil === null && !replayed && isPaused(found, createdAt)
        const earlier = await findSent(tx, conversationId, sent)
        if (earlier === 'reused') return earlier
        if (earlier) {
          const isHandedBack =
            handsBack && found.assigneeId === null && (await isPauseOf(tx, conversationId, earlier.message.seq))
          if (isHandedBack) await handBack(tx, found, { at: createdAt, event: 'handed_back' })
          await storeResult(tx, scope, request, 'sent', found.contactId)
          return { value: { conversationId, ...earlier, isHandedBack }, replayed }
        }
        const events = handsBack && found.hasResponder ? [eventMessage('handed_back', createdAt)] : []
        const change =
          pausedUntil === null
            ? ({ type: 'handed_back', isAnswered: true } as const)
            : ({ type: 'server_wrote', until: pausedUntil } as const)
        const status = nextStatus(found, change, { at: createdAt, hasResponder: found.hasResponder })
        const stored = await appendByAgent(tx, conversationId, [sent, ...events], { status })
        if (stored === 'file_missing') return stored
        await storeResult(tx, scope, request, 'sent', found.contactId)
        return { value: { conversationId, message: stored, repeated: false, isHandedBack: handsBack }, replayed }
      }),
    changeState: (scope, which, change, { at, actor, knownSeq = Number.MAX_SAFE_INTEGER }, request) =>
      transactOnce(db, scope, request, noConversation, async tx => {
        const contactId = await lockContactOf(tx, scope, which)
        const found = await lock(tx, scope, which)
        if (!found && contactId === null) return 'not_found'
        const canAct = found && canChange(found, change, at) && !(await isWaitedForAfter(tx, found.id, knownSeq))
        const changing = canAct ? found : null
        if (changing) {
          const { id, hasResponder } = changing
          const note = actor && eventNote(actor, change, at)
          if (change === 'handed_back') await handBack(tx, changing, { at, event: change, note })
          else await changeStatus(tx, id, nextStatus(changing, { type: change }, { at, hasResponder }), { at, note })
          if (change === 'closed') await tx.all('DELETE FROM turns WHERE conversation_id = $1', [id])
        }
        await storeResult(tx, scope, request, change, contactId)
        return { value: changing?.id ?? null, replayed: false }
      }),
  } satisfies Partial<Store>
}

const noConversation = (): string | null => null

/** Whether the change has an effect. */
const canChange = (conversation: FoundConversation, change: StateChange, at: string): boolean =>
  change === 'handed_back' ? isPaused(conversation, at) : (change === 'closed') !== (conversation.state === 'closed')

/** SQL for whether a message `m` is one that the visitor waits for an answer to. */
export const visitorWaitsSql = "(m.author = 'visitor' OR m.event = 'handover_requested')"

async function isWaitedForAfter(tx: Queries, conversationId: string, seq: number): Promise<boolean> {
  const later = await tx.one(
    `SELECT m.seq FROM messages m WHERE m.conversation_id = $1 AND m.seq > $2::bigint AND ${visitorWaitsSql} LIMIT 1`,
    [conversationId, seq],
  )
  return later !== undefined
}

export interface FoundConversation extends AnsweredConversation {
  contactId: string | null
  lastMessageAt: string | null
}

/** Finds a message that was stored with the same id. */
export async function findSent(
  tx: Queries,
  conversationId: string,
  message: NewMessageWithFiles,
): Promise<{ message: Message; repeated: true } | 'reused' | undefined> {
  const existing = await tx.one<MessageRecord>(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND id = $2`,
    [conversationId, message.id],
  )
  return existing && decideRepetition(toMessage(existing), message)
}

/** Stores a message of a member or of the organization's server, and ends a waiting or running turn of the responder. The caller has locked the conversation. */
export async function appendByAgent(
  tx: Queries,
  conversationId: string,
  messages: [NewMessageWithFiles, ...NewMessage[]],
  options: AppendOptions,
): Promise<Message | 'file_missing'> {
  const by = { uploader: organizationUploader, at: messages[0].createdAt }
  const stored = await appendWithFiles(tx, conversationId, messages, by, options)
  if (stored === 'file_missing') return stored
  await tx.all('DELETE FROM turns WHERE conversation_id = $1', [conversationId])
  await enqueue(tx, conversationId, stored.createdAt, eventsOfMessage(stored, false))
  return stored
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
    `SELECT v.id, v.contact_id AS "contactId", v.last_message_at AS "lastMessageAt", ${statusColumns},
       ${hasResponderSql} AS "hasResponder"
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
async function begin(tx: Queries, scope: BotScope, which: ConversationKey, id: string, at: string) {
  if ('conversationId' in which) return undefined
  await tx.all(
    `INSERT INTO conversations (id, bot_id, contact_id, created_at)
     SELECT $1, bot_id, id, $2 FROM contacts WHERE id = $3 AND bot_id = $4 AND organization_id = $5
       FOR KEY SHARE`,
    [id, at, which.contactId, scope.botId, scope.organizationId],
  )
  return find(tx, scope, { conversationId: id })
}

/** Whether the pause is that of the message with this seq: no agent and no event has followed it. */
async function isPauseOf(tx: Queries, conversationId: string, seq: number): Promise<boolean> {
  const later = await tx.one(
    `SELECT seq FROM messages WHERE conversation_id = $1 AND seq > $2 AND ${replacesPauseSql} LIMIT 1`,
    [conversationId, seq],
  )
  return later === undefined
}
