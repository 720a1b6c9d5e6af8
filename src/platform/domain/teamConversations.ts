import {
  type BodyOf,
  type ConversationPage,
  type Message,
  type MessageWithContext,
  messageIdPattern,
  type QueryOf,
} from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type {
  Actor,
  BotScope,
  ContactStore,
  ConversationKey,
  ConversationStore,
  IdempotentRequest,
  IdempotentResult,
  ListPage,
  NewMessageWithFiles,
  StateChange,
} from '../store/store.ts'
import { announce, announceStatus } from './announce.ts'
import { paginate } from './cursor.ts'
import { type IdempotencyKey, idempotentRequest, requireAccepted } from './idempotency.ts'
import { createId, isId } from './ids.ts'
import { fileMissing, notFound, problem } from './problem.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'

/** The operations of an organization's server on the conversations of a bot. */
export type TeamConversations = ReturnType<typeof createTeamConversations>

export interface TeamConversationsOptions {
  store: ConversationStore & ContactStore
  bus: Bus
  clock: Clock
  /** Time for which an agent's message pauses the responder. */
  pauseMs: number
}

export function createTeamConversations({ store, bus, clock, pauseMs }: TeamConversationsOptions) {
  /** A contact without a conversation counts as one with an empty conversation. */
  const isExistingContact = async (scope: BotScope, which: ConversationKey): Promise<boolean> =>
    'contactId' in which && (await store.findContact({ ...scope, ...which })) !== null

  const changeState = async (
    scope: BotScope,
    which: ConversationKey,
    change: StateChange,
    now: number,
    request: IdempotentRequest | undefined,
  ): Promise<IdempotentResult<null>> => {
    const result = requireAccepted(await store.changeState(scope, which, change, { at: timestamp(now) }, request))
    if (result.value !== null) announceStatus(bus, { ...scope, conversationId: result.value }, change)
    return { value: null, replayed: result.replayed }
  }

  return {
    async list(scope: BotScope, query: QueryOf<'listConversations'>): Promise<ConversationPage> {
      const read = async (page: ListPage) => {
        const found = await store.listConversations(scope, page)
        if (found === 'not_found') throw notFound()
        return found.map(conversation => withoutPastPause(conversation, clock.now()))
      }
      return paginate(['conversations', scope.botId], query, read, ({ lastMessage, id }) => ({
        at: lastMessage.createdAt,
        id,
      }))
    },

    async listMessages(
      scope: BotScope,
      which: ConversationKey,
      { before, limit }: QueryOf<'listConversationMessages'>,
    ): Promise<MessageWithContext[]> {
      const found = isPossible(which) ? await store.findBotConversation(scope, which) : null
      if (found) return store.listMessagesWithContext(found.id, before === undefined ? { limit } : { before, limit })
      if (isPossible(which) && (await isExistingContact(scope, which))) return []
      throw notFound()
    },

    /**
     * Stores a message, or hands back, or both. `repeated`: the same message was stored before. Resolves to `null` if the
     * request had no message. A request with the `key` of an earlier one hands back nothing that an agent has taken over since.
     */
    async send(
      scope: BotScope,
      which: ConversationKey,
      body: BodyOf<'sendConversationMessage'>,
      key?: IdempotencyKey,
    ): Promise<IdempotentResult<{ message: Message; repeated: boolean } | null>> {
      if (!isPossible(which)) throw notFound()
      const { id, text = '', format, as, sources = [], attachments = [], handBack: handsBack } = body
      const now = clock.now()
      const operation = 'contactId' in which ? 'sendContactMessage' : 'sendConversationMessage'
      const request = idempotentRequest(key, operation, { which, body }, now)
      if (id === undefined) return changeState(scope, which, 'handed_back', now, request)
      const message: NewMessageWithFiles = {
        id,
        author: 'agent',
        text,
        format,
        ...(as && { sender: as }),
        files: attachments,
        ...(sources.length > 0 && { sources }),
        createdAt: timestamp(now),
      }
      const target = { ...which, newConversationId: createId(now) }
      const pausedUntil = handsBack ? null : timestamp(now + pauseMs)
      const result = requireAccepted(await store.appendAgentMessage(scope, target, message, pausedUntil, request))
      if (result === 'file_missing') throw fileMissing()
      if (result === 'reused') throw problem('id_reused')
      const { conversationId, message: stored, repeated, isHandedBack } = result.value
      // Publish in this order, so that no stream gets more of a reply after the agent's message.
      if (!repeated) bus.publish(conversationSubject(conversationId), { type: 'taken_over' })
      if (!repeated || isHandedBack) announce(bus, { ...scope, conversationId }, { type: 'stored' })
      return { value: { message: stored, repeated }, replayed: result.replayed }
    },

    /** Closes a conversation until the visitor writes again, or reopens it. */
    async setClosed(
      scope: BotScope,
      conversationId: string,
      isClosed: boolean,
      key?: IdempotencyKey,
    ): Promise<IdempotentResult<null>> {
      const which = { conversationId }
      if (!isPossible(which)) throw notFound()
      const [operation, change] = isClosed
        ? (['closeConversation', 'closed'] as const)
        : (['reopenConversation', 'reopened'] as const)
      const now = clock.now()
      return changeState(scope, which, change, now, idempotentRequest(key, operation, { which }, now))
    },

    /** Erases a message of any author; its place in the conversation stays. */
    async deleteMessage(scope: BotScope, which: ConversationKey, messageId: string, member?: Actor): Promise<void> {
      const id = messageId.toLowerCase()
      if (!isPossible(which) || !messageIdPattern.test(id)) throw notFound()
      const result = await store.deleteMessage(scope, which, id, timestamp(clock.now()), member)
      if (result === 'not_found') throw notFound()
      if (result.wasDeleted) return
      const { conversationId } = result
      announce(bus, { ...scope, conversationId }, { type: 'changed' })
      // A reply that is being written may quote the message.
      bus.publish(conversationSubject(conversationId), { type: 'erased' })
    },

    /** Tells the conversation's open widgets, which show it for a few seconds. Nothing is stored. */
    async showTyping(scope: BotScope, which: ConversationKey, { as }: BodyOf<'showConversationTyping'>): Promise<void> {
      if (!isPossible(which)) throw notFound()
      const found = await store.findBotConversation(scope, which)
      if (found) {
        const streamEvent = { event: 'typing', data: { author: 'agent', ...(as && { sender: as }) } } as const
        bus.publish(conversationSubject(found.id), { type: 'forward', streamEvent })
      } else if (!(await isExistingContact(scope, which))) throw notFound()
    },
  }
}

/** Whether the id has the form of an id. Other texts never reach the store. */
const isPossible = (which: ConversationKey): boolean =>
  isId('contactId' in which ? which.contactId : which.conversationId)

/** Hides a pause that is over. */
export const withoutPastPause = <Paused extends { pausedUntil: string | null }>(
  conversation: Paused,
  now: number,
): Paused => (Date.parse(conversation.pausedUntil ?? '') > now ? conversation : { ...conversation, pausedUntil: null })
