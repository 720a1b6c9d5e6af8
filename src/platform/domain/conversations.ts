import type { BodyOf, Message, QueryOf, Session } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { ConversationStore, SessionRow } from '../store/store.ts'
import { problem } from './problem.ts'
import { invalidToken } from './sessions.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'

/** What the bearer of a session does with its conversation (ours). */
export interface Conversations {
  state(session: SessionRow): Promise<Session>
  list(session: SessionRow, page: QueryOf<'listMessages'>): Promise<Message[]>
  /** `repeated` where the same message was stored before. */
  send(session: SessionRow, message: BodyOf<'sendMessage'>): Promise<{ message: Message; repeated: boolean }>
  markRead(session: SessionRow, seq: number): Promise<void>
}

export function createConversations({
  store,
  bus,
  clock,
  onTurnQueued,
}: {
  store: ConversationStore
  bus: Bus
  clock: Clock
  /** Called when a message waits for an answer. */
  onTurnQueued: () => void
}): Conversations {
  return {
    async state({ contact, conversationId }) {
      const found = await store.findConversation(conversationId)
      // Between the check of the token and this read the contact was deleted, and its conversation with it.
      if (!found) throw invalidToken('contact_deleted')
      const { lastSeq, readSeq, unread } = found
      return { contact, conversation: { lastSeq, readSeq, unread } }
    },

    list: ({ conversationId }, { before, limit }) =>
      store.listMessages(conversationId, before === undefined ? { limit } : { before, limit }),

    async send({ hash, conversationId }, { id, text }) {
      const createdAt = timestamp(clock.now())
      const result = await store.appendVisitorMessage(hash, { id, author: 'visitor', text, format: 'plain', createdAt })
      if (result === 'ended') throw invalidToken('token_revoked')
      if (result === 'reused') throw problem('id_reused')
      if (!result.repeated) {
        bus.publish(conversationSubject(conversationId), { type: 'stored' })
        onTurnQueued()
      }
      return result
    },

    async markRead({ hash, conversationId }, seq) {
      const readSeq = await store.markRead(hash, seq, timestamp(clock.now()))
      if (readSeq === 'ended') throw invalidToken('token_revoked')
      const event = { event: 'read', data: { seq: readSeq } } as const
      bus.publish(conversationSubject(conversationId), { type: 'ephemeral', event })
    },
  }
}
