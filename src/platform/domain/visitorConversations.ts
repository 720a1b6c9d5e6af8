import type {
  BodyOf,
  ContactData,
  Message,
  MessageChange,
  MessagePage,
  QueryOf,
  Session,
} from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type {
  Bot,
  ContactErasure,
  ContactScope,
  ContactStore,
  ConversationStore,
  SessionRow,
  SessionStore,
  TurnStore,
  VisitorEmailStore,
} from '../store/store.ts'
import { announce } from './announce.ts'
import { deleteContact, publishErasure } from './contacts.ts'
import { mailboxKey, requireEmailKey } from './emailKey.ts'
import { fieldProblem, fileMissing, notFound, type ProblemError, problem } from './problem.ts'
import { findEnd } from './sessions.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'
import { hashToken } from './tokens.ts'

/** The operations of a visitor on the conversation of its session. */
export type VisitorConversations = ReturnType<typeof createVisitorConversations>

export function createVisitorConversations({
  store,
  bus,
  clock,
  handoverTimeoutMs,
  onMessageStored,
  onEmailLeft,
  onListed,
}: {
  store: ConversationStore &
    Pick<ContactStore, 'deleteContact' | 'deleteContactOfSession' | 'readContactData'> &
    Pick<SessionStore, 'findSession'> &
    Pick<TurnStore, 'stopTurn'> &
    Pick<VisitorEmailStore, 'leaveEmail'>
  bus: Bus
  clock: Clock
  /** Time after which a handover ends if no agent has written. */
  handoverTimeoutMs: number
  /** Called when a visitor's message is stored: a turn and deliveries of events may be due. */
  onMessageStored: () => void
  /** Called when an email may be due that confirms an address. */
  onEmailLeft: () => void
  /** Called when a visitor's page asks for the newest messages. */
  onListed: (conversationId: string) => void
}) {
  /** The 401 for a session that has ended after its token was checked. */
  const explainEnd = async (hash: string): Promise<ProblemError> =>
    (await findEnd(store, hash, clock.now())) ?? problem('unauthorized')

  return {
    async state({ hash, contact, conversationId }: SessionRow): Promise<Session> {
      const found = await store.findConversation(conversationId)
      // The conversation was deleted after the token was checked, and the session has ended with it.
      if (!found) throw await explainEnd(hash)
      const { lastSeq, readSeq, unread, revision, email } = found
      return {
        contact,
        conversation: { lastSeq, readSeq, unread, revision, ...(email !== null && { hasEmail: true }) },
      }
    },

    async list({ conversationId }: SessionRow, { before, limit }: QueryOf<'listMessages'>): Promise<MessagePage> {
      if (before === undefined) onListed(conversationId)
      // The revision first: the page may only be newer than that.
      const revision = (await store.findConversation(conversationId))?.revision ?? 0
      const data = await store.listMessages(conversationId, before === undefined ? { limit } : { before, limit })
      return { data, revision }
    },

    /** `repeated`: the same message was stored before. */
    async send(
      { hash, botId, conversationId }: SessionRow,
      { id, text = '', attachments = [], context, locale }: BodyOf<'sendMessage'>,
    ): Promise<{ message: Message; repeated: boolean }> {
      const createdAt = timestamp(clock.now())
      const message = { id, author: 'visitor', text, format: 'plain', files: attachments, createdAt } as const
      const result = await store.appendVisitorMessage(hash, {
        ...message,
        ...(context && { claimed: context }),
        ...(locale !== undefined && { locale }),
      })
      if (result === 'ended') throw await explainEnd(hash)
      if (result === 'file_missing') throw fileMissing()
      if (result === 'reused') throw problem('id_reused')
      if (!result.repeated) {
        announce(bus, { botId, conversationId }, { type: 'stored' })
        onMessageStored()
      }
      return result
    },

    /** Rates an answer, or takes the rating back. */
    async rate(
      { hash, botId, conversationId }: SessionRow,
      { id, rating }: BodyOf<'rateMessage'>,
    ): Promise<MessageChange> {
      const result = await store.rateMessage(hash, id, rating, timestamp(clock.now()))
      if (result === 'ended') throw await explainEnd(hash)
      if (result === 'not_found') throw notFound()
      if (!result.isSame) announce(bus, { botId, conversationId }, { type: 'changed' })
      return result.change
    },

    /** Keeps where an anonymous visitor can be answered. An email asks the owner of the address to confirm it. */
    async leaveEmail(
      { hash, botId, conversationId }: SessionRow,
      { organizationId }: Pick<Bot, 'organizationId'>,
      { email, locale }: BodyOf<'leaveEmail'>,
    ): Promise<void> {
      const key = requireEmailKey(email)
      const mailbox = mailboxKey(key)
      if (mailbox === null)
        throw fieldProblem('/email', 'invalid_format', 'Must be like ada@example.com, without quotes.')
      // The hash of the mailbox outlives the address, so that nobody has a second email sent there.
      const hashes = { emailHash: hashToken(key), mailboxHash: hashToken(`${organizationId} ${mailbox}`) }
      const result = await store.leaveEmail(hash, { email, ...hashes, locale, at: timestamp(clock.now()) })
      if (result === 'ended') throw await explainEnd(hash)
      if (result === 'not_found') throw notFound()
      announce(bus, { botId, conversationId })
      onEmailLeft()
    },

    async markRead({ hash, botId, conversationId }: SessionRow, seq: number): Promise<void> {
      const readSeq = await store.markRead(hash, seq, timestamp(clock.now()))
      if (readSeq === 'ended') throw await explainEnd(hash)
      const streamEvent = { event: 'read', data: { seq: readSeq } } as const
      announce(bus, { botId, conversationId }, { type: 'forward', streamEvent })
    },

    /** Stops the reply with that id, if it is being written. */
    async stopReply({ hash, conversationId }: SessionRow, replyId: string): Promise<void> {
      const isLeased = await store.stopTurn(hash, replyId, timestamp(clock.now()))
      if (isLeased === 'ended') throw await explainEnd(hash)
      // A node that misses this learns it when it extends its lease.
      if (isLeased) bus.publish(conversationSubject(conversationId), { type: 'stopped', replyId })
    },

    /** Hands the conversation over to the team, unless that has happened already. */
    async requestHandover({ hash, botId, conversationId }: SessionRow, bot: Bot): Promise<void> {
      if (!bot.handover) throw notFound()
      const result = await store.requestHandover(hash, { at: timestamp(clock.now()), timeoutMs: handoverTimeoutMs })
      if (result === 'ended') throw await explainEnd(hash)
      if (result === 'paused') return
      // The responder may be writing: its reply must not be shown after this.
      bus.publish(conversationSubject(conversationId), { type: 'handed_over' })
      announce(bus, { botId, conversationId }, { type: 'stored' })
    },

    /** What the contact sees of what is stored about it. Throws `not_found` like `eraseContact`. */
    async contactData(session: SessionRow, bot: Bot): Promise<ContactData> {
      const found = await store.readContactData(requireErasable(session, bot))
      if (!found) throw await explainEnd(session.hash)
      return found
    },

    /**
     * Deletes the contact of the session with everything that belongs to it. Throws `not_found` for a guest, and where the bot
     * does not let visitors do this.
     */
    async eraseContact(session: SessionRow, bot: Bot): Promise<void> {
      const scope = requireErasable(session, bot)
      const at = timestamp(clock.now())
      const onErased = (erasure: ContactErasure) => publishErasure(bus, scope, erasure)
      const first = await store.deleteContactOfSession(scope, session.hash, at)
      if (first === 'ended') throw await explainEnd(session.hash)
      onErased(first)
      // If this fails, the maintenance completes it: the visitor, whose session has ended, could not repeat it.
      if (first.isIncomplete) await deleteContact(store, scope, at, onErased)
    },
  }
}

function requireErasable({ contact }: SessionRow, { id, organizationId, eraseByVisitor }: Bot): ContactScope {
  if (!contact || !eraseByVisitor) throw notFound()
  return { organizationId, botId: id, contactId: contact.id }
}
