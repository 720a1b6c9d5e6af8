import type { DatabaseSync } from 'node:sqlite'
import type { Conversation } from '../../../contract/index.ts'
import { afterAllTimes } from '../rules/afterAllTimes.ts'
import { organizationUploader } from '../rules/attachments.ts'
import { type ListedRecord, toConversation } from '../rules/conversations.ts'
import { messageColumnsOf } from '../rules/messageColumns.ts'
import { eventsOfMessage } from '../rules/messages.ts'
import { isPaused, replacesPauseSql } from '../rules/pauses.ts'
import type { BotScope, ConversationKey, ConversationStore } from '../store.ts'
import { prepare, type Sync } from './connection.ts'
import { conversationReads } from './conversations.ts'
import { prepareEnqueue } from './deliveries.ts'
import { prepareEndPause } from './handovers.ts'
import { idempotency } from './idempotency.ts'
import { type MessageWithContextRecord, prepareAppendRepeatable, toMessageWithContext } from './messages.ts'

export type AgentReads = Sync<Pick<ConversationStore, 'findBotConversation'>>
export type ConversationLists = Sync<Pick<ConversationStore, 'listConversations'>>
export type AgentWrites = Sync<Pick<ConversationStore, 'appendAgentMessage' | 'handBack'>>

/** Finds a conversation's id by its own id or its contact's, within the bot and the organization. */
export function prepareFindConversationId(
  db: DatabaseSync,
): (scope: BotScope, which: ConversationKey) => string | undefined {
  const find = (column: string) =>
    prepare<{ id: string }>(
      db,
      `SELECT v.id FROM conversations v JOIN bots b ON b.id = v.bot_id
       WHERE v.${column} = ? AND v.bot_id = ? AND b.organization_id = ?`,
    )
  const [byId, byContact] = [find('id'), find('contact_id')]
  return ({ organizationId, botId }, which) => {
    const [statement, id] =
      'conversationId' in which ? ([byId, which.conversationId] as const) : ([byContact, which.contactId] as const)
    return statement.get(id, botId, organizationId)?.id
  }
}

export function agentReads(db: DatabaseSync): AgentReads {
  const find = prepareFindConversationId(db)
  const { findConversation } = conversationReads(db)
  return {
    findBotConversation(scope, which) {
      const id = find(scope, which)
      return id === undefined ? null : findConversation(id)
    },
  }
}

export function conversationLists(db: DatabaseSync): ConversationLists {
  const bot = db.prepare('SELECT 1 FROM bots WHERE id = ? AND organization_id = ?')
  const page = prepare<ListedRecord & MessageWithContextRecord>(
    db,
    `SELECT v.id AS conversationId, v.last_seq AS lastSeq, v.read_seq AS readSeq, v.paused_until AS pausedUntil,
       v.waiting_since AS waitingSince, v.created_at AS begunAt, c.id AS contactId, c.name AS contactName, v.unread,
       ${messageColumnsOf('m')}, m.context
     FROM conversations v JOIN messages m ON m.conversation_id = v.id AND m.seq = v.last_seq
       LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.bot_id = ? AND v.last_message_at IS NOT NULL AND (v.last_message_at, v.id) < (?, ?)
     ORDER BY v.last_message_at DESC, v.id DESC LIMIT ?`,
  )
  return {
    listConversations({ organizationId, botId }, { after, limit }) {
      if (!bot.get(botId, organizationId)) return 'not_found'
      return page.all(botId, after?.lastMessageAt ?? afterAllTimes, after?.id ?? '', limit).map(toListed)
    },
  }
}

export function agentWrites(db: DatabaseSync): AgentWrites {
  const { claimKey, storeResult } = idempotency(db)
  const find = prepareFindConversationId(db)
  const append = prepareAppendRepeatable(db)
  const endPause = prepareEndPause(db)
  const enqueue = prepareEnqueue(db)
  const begin = prepare<{ id: string }>(
    db,
    `INSERT INTO conversations (id, bot_id, contact_id, created_at)
     SELECT ?, bot_id, id, ? FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ? RETURNING id`,
  )
  const contact = db.prepare('SELECT 1 FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ?')
  const contactOf = prepare<{ contactId: string | null }>(
    db,
    'SELECT contact_id AS contactId FROM conversations WHERE id = ?',
  )
  const paused = prepare<{ pausedUntil: string | null }>(
    db,
    'SELECT paused_until AS pausedUntil FROM conversations WHERE id = ?',
  )
  const laterPause = db.prepare(
    `SELECT 1 FROM messages WHERE conversation_id = ? AND seq > ? AND ${replacesPauseSql} LIMIT 1`,
  )
  const pause = db.prepare('UPDATE conversations SET paused_until = ?, waiting_since = NULL WHERE id = ?')
  const endTurn = db.prepare('DELETE FROM turns WHERE conversation_id = ?')

  function beginConversation({ organizationId, botId }: BotScope, which: ConversationKey, id: string, at: string) {
    if ('conversationId' in which) return undefined
    return begin.get(id, at, which.contactId, botId, organizationId)?.id
  }

  const hasContact = ({ organizationId, botId }: BotScope, which: ConversationKey): boolean =>
    'contactId' in which && contact.get(which.contactId, botId, organizationId) !== undefined

  const isPausedAt = (conversationId: string, at: string): boolean =>
    isPaused(paused.get(conversationId)?.pausedUntil ?? null, at)

  return {
    appendAgentMessage(scope, { newConversationId, ...which }, message, pausedUntil, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      const isReplayed = claim.kind === 'replayed'
      const conversationId = find(scope, which) ?? beginConversation(scope, which, newConversationId, message.createdAt)
      if (conversationId === undefined) return 'not_found'
      const { createdAt } = message
      const handsBack = pausedUntil === null && !isReplayed && isPausedAt(conversationId, createdAt)
      const sent = append(conversationId, message, organizationUploader)
      if (typeof sent === 'string') return sent
      storeResult(scope, request, 'sent', contactOf.get(conversationId)?.contactId)
      if (sent.repeated) {
        // Ends only the pause of this message: another agent may have written since.
        const isHandedBack = handsBack && laterPause.get(conversationId, sent.message.seq) === undefined
        if (isHandedBack) endPause(conversationId, 'handed_back', createdAt)
        return { conversationId, ...sent, isHandedBack, isReplayed }
      }
      endTurn.run(conversationId)
      if (handsBack) endPause(conversationId, 'handed_back', createdAt)
      else pause.run(pausedUntil, conversationId)
      enqueue(conversationId, createdAt, eventsOfMessage(sent.message, false))
      return { conversationId, ...sent, isHandedBack: handsBack, isReplayed }
    },
    handBack(scope, which, at, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return 'replayed'
      const conversationId = find(scope, which)
      if (conversationId === undefined && !hasContact(scope, which)) return 'not_found'
      const endedIn = conversationId !== undefined && isPausedAt(conversationId, at) ? conversationId : null
      if (endedIn !== null) endPause(endedIn, 'handed_back', at)
      const contactId = 'contactId' in which ? which.contactId : contactOf.get(which.conversationId)?.contactId
      storeResult(scope, request, 'handed_back', contactId)
      return { endedIn }
    },
  }
}

const toListed = (row: ListedRecord & MessageWithContextRecord): Conversation =>
  toConversation(row, toMessageWithContext(row))
