import type {
  AttachmentInput,
  Attributes,
  Conversation,
  Message,
  MessageChange,
  MessageWithContext,
  Rating,
} from '../../../contract/index.ts'
import type { BotScope, IdempotentRequest, IdempotentResult, KeyRefused, ListPage, NotFound } from './common.ts'

export interface ConversationRow {
  id: string
  /** The number of messages after `readSeq` that are neither the visitor's nor events nor removed. */
  unread: number
  botId: string
  contact: { id: string; name: string } | null
  lastSeq: number
  readSeq: number
  /** Raised by every change of a stored message. */
  revision: number
  /** The language that the visitor's widget showed last, a BCP 47 tag; `null` if that is not known. */
  locale: string | null
  /** Where the anonymous visitor can be answered; `null` if that is not known. */
  email: string | null
}
/** How far a conversation has advanced. None of the numbers ever decreases. */
export type Position = Pick<ConversationRow, 'id' | 'lastSeq' | 'readSeq' | 'revision'>
export type ConversationKey = { conversationId: string } | { contactId: string }

/** A message that has no seq yet, and has not been changed. */
export type NewMessage = Omit<Message, 'seq' | 'rating' | 'removedAt'>
/** A message of a visitor or an agent, with the uploads to attach to it. */
export interface NewMessageWithFiles extends NewMessage {
  files?: AttachmentInput[]
}
/** A visitor's message, with what the page claims about the visitor, and the language that the widget shows. */
export interface NewVisitorMessage extends NewMessageWithFiles {
  claimed?: Attributes
  locale?: string
}
/**
 * The team takes a conversation over at `at`. If no agent has written after `timeoutMs` in which people of the team were
 * there, the responder answers again.
 */
export interface Handover {
  at: string
  timeoutMs: number
}

/** A member who does something to a conversation. */
export interface Actor {
  id: string
  name: string
}

/** How the team may change the state of a conversation. */
export type StateChange = 'handed_back' | 'closed' | 'reopened'

/** Conversations and their messages. */
export interface ConversationStore {
  /**
   * Stores a visitor's message if the session of `hash` is open. In the same transaction it queues a turn for the
   * responder, unless an agent has paused the responder or is waited for in silence, and the events for the bot's events webhook.
   * With the message it stores what is known of the visitor: what the page claims, and the contact's attributes. The
   * language of the widget is stored with the conversation. A repetition changes neither.
   * `repeated`: the same message is stored already. `reused`: its id belongs to another message. `file_missing`: one of
   * its files is no upload of this session, or too old.
   */
  appendVisitorMessage(
    hash: string,
    message: NewVisitorMessage,
  ): Promise<{ message: Message; repeated: boolean } | 'reused' | 'ended' | 'file_missing'>
  /**
   * Stores an agent's message, ends a waiting or running turn of the responder, and pauses the responder until
   * `pausedUntil`; `null` hands the conversation back as `changeState` does. A repetition hands it back only if no agent has
   * written, and nothing else has happened, since the message. A contact without a conversation gets one with the id
   * `newConversationId`. `isHandedBack`: a pause has been ended.
   */
  appendAgentMessage(
    scope: BotScope,
    which: ConversationKey & { newConversationId: string },
    message: NewMessageWithFiles,
    pausedUntil: string | null,
    request?: IdempotentRequest,
  ): Promise<
    | IdempotentResult<{ conversationId: string; message: Message; repeated: boolean; isHandedBack: boolean }>
    | 'reused'
    | 'file_missing'
    | KeyRefused
    | NotFound
  >
  /**
   * Changes who answers. A conversation that is handed back gets the event `handed_back` if the bot has a responder. Leaves a
   * note if a member does it. Resolves to the conversation if that has an effect: one is handed back if the responder is
   * paused, and reopened if it is closed. Nothing changes if the visitor has written after `knownSeq`. A contact without a conversation counts as one with an empty conversation. A
   * repetition changes nothing that has happened since.
   */
  changeState(
    scope: BotScope,
    which: ConversationKey,
    change: StateChange,
    by: { at: string; actor?: Actor; knownSeq?: number | undefined },
    request?: IdempotentRequest,
  ): Promise<IdempotentResult<string | null> | KeyRefused | NotFound>
  /**
   * Erases the message, also from turns and events that wait, and leaves its place in the conversation. A reply that is
   * being written is to be written again without it, or not at all if nothing is left to answer. What a member removes is
   * recorded for the audit list.
   */
  deleteMessage(
    scope: BotScope,
    which: ConversationKey,
    messageId: string,
    at: string,
    member?: Actor,
  ): Promise<{ conversationId: string; wasDeleted: boolean } | NotFound>
  /**
   * Hands the conversation of an open session over to the team, unless the responder is paused already: ends its turn,
   * pauses it, stores the event `handover_requested`, and queues `handover.requested` for the bot's events webhook. If the
   * responder has answered a visitor who waits, only the event is stored again.
   */
  requestHandover(hash: string, handover: Handover): Promise<'requested' | 'paused' | 'ended'>
  /**
   * Ends pauses of the responder that are over, at most `limit`. For a handover that no agent has answered it stores the event
   * `handover_expired`, if the bot has a responder. Resolves to their conversations.
   */
  expirePauses(now: string, limit: number): Promise<{ conversationId: string; botId: string }[]>
  /** Sets or takes back the visitor's rating of an answer. `isSame`: it had this rating already, and nothing has changed. */
  rateMessage(
    hash: string,
    messageId: string,
    rating: Rating | null,
    at: string,
  ): Promise<{ change: MessageChange; isSame: boolean } | NotFound | 'ended'>
  /** Moves the read position forward, never beyond the last message; resolves to the position after that. */
  markRead(hash: string, seq: number, at: string): Promise<number | 'ended'>

  /** The newest `limit` messages with a seq below `before`, in ascending order. */
  listMessages(conversationId: string, page: { before?: number; limit: number }): Promise<Message[]>
  /** The same for the organization: visitors must not see the context of a message. */
  listMessagesWithContext(
    conversationId: string,
    page: { before?: number; limit: number },
  ): Promise<MessageWithContext[]>
  /** At most `limit` messages with a seq above `after`, in ascending order. */
  listMessagesAfter(conversationId: string, after: number, limit: number): Promise<Message[]>
  /** At most `limit` messages that were changed after that revision of their conversation, in the order of the changes. */
  listMessagesChangedAfter(conversationId: string, revision: number, limit: number): Promise<MessageChange[]>
  findConversation(conversationId: string): Promise<ConversationRow | null>
  /** Finds a conversation of the bot by its id or by its contact's. */
  findBotConversation(scope: BotScope, which: ConversationKey): Promise<ConversationRow | null>
  /** The bot's conversations with at least one message, the latest message first. `at` in the place is its time. */
  listConversations(scope: BotScope, page: ListPage): Promise<Conversation[] | NotFound>
}
