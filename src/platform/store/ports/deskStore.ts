import type {
  ConversationChanges,
  DeskConversation,
  DeskCounts,
  DeskMessage,
  DeskView,
  Note,
  OpenedConversation,
  Person,
} from '../../../contract/desk.ts'
import type { NumbersOfDay, UnansweredQuestion } from '../../../contract/deskNumbers.ts'
import type { ConversationStateName, Message } from '../../../contract/index.ts'
import type { BotScope, ListPage, ListPlace, NotFound } from './common.ts'
import type { SearchTerm } from './contactStore.ts'
import type { Actor, Handover, NewMessageWithFiles } from './conversationStore.ts'

/** The conversations that a list of the desk shows. */
export interface DeskListFilter {
  view: DeskView
  botIds: string[]
  memberId: string
  state?: ConversationStateName | undefined
  /** The id of the member who owns it; `''` for those that need a person and have none. */
  owner?: string | undefined
  /** The earliest time of the last message. */
  since?: string | undefined
}

/** The place in the results of a search after which a page begins: of contacts that match, and of messages. */
export interface DeskSearchPlace {
  contact: ListPlace
  message: number
}

/** A conversation that a search has found, and the texts in one of which its words stand. */
export interface DeskSearchMatch {
  conversation: DeskConversation
  texts: string[]
}

/** The numbers of a day; of all days if `day`, the number of days since 1970, is `null`. Times are in seconds. */
export interface DayNumbers extends Omit<NumbersOfDay, 'date' | 'firstAnswer'> {
  day: number | null
  median: number | null
  p90: number | null
}

/** What the desk reads and writes: the inbox, claims, notes and drafts. */
export interface DeskStore {
  /**
   * A page of a view. `waiting` begins with those that have waited longest, the others with the latest message. `at` in the
   * place is `waitingSince` or the time of the last message.
   */
  listDeskConversations(filter: DeskListFilter, page: ListPage): Promise<DeskConversation[]>
  /**
   * Searches the conversations of the bots whose contact has all words, or one message. At least one of them has three
   * characters. About the latest match comes first. A page may have fewer than `limit` although there is a next one, and a
   * conversation that was found by its contact may be found again by a message.
   */
  searchConversations(
    scope: Pick<BotScope, 'organizationId'>,
    filter: DeskListFilter,
    term: SearchTerm,
    page: { after?: DeskSearchPlace; limit: number },
  ): Promise<{ matches: DeskSearchMatch[]; next: DeskSearchPlace | null }>
  /** The number of conversations of each view, at most `maxDeskCount`. */
  listDeskCounts(filter: Omit<DeskListFilter, 'view'>): Promise<DeskCounts>
  findDeskConversation(conversationId: string): Promise<DeskConversation | null>
  /** At most `limit` conversations of the bots that have changed since `since`, in the order of their changes. */
  listChangedDeskConversations(
    botIds: string[],
    since: string,
    limit: number,
  ): Promise<{ conversation: DeskConversation; changedAt: string }[]>

  /**
   * Computes the numbers of the messages since a time, which takes seconds if there are very many. Days without any are missing.
   * `offsetSeconds`: how far the clock whose days are counted is ahead of UTC. The questions of conversations with the latest
   * messages come first.
   */
  computeNumbers(
    scope: Pick<BotScope, 'organizationId'>,
    range: { botIds: string[]; since: string; offsetSeconds: number },
  ): Promise<{ days: DayNumbers[]; unanswered: UnansweredQuestion[] }>

  findPerson(conversationId: string, now: string): Promise<Person | null>
  /** The notes of a conversation, ascending: those after messages from `fromSeq` to `toSeq`. */
  listNotes(conversationId: string, range: { fromSeq: number; toSeq: number }): Promise<Note[]>
  /** What has changed since: at most 100 of each. */
  listConversationChanges(
    conversationId: string,
    since: { after: number; revision: number; notes: number },
  ): Promise<Pick<ConversationChanges, 'messages' | 'changes' | 'notes'>>
  listMessagesForDesk(
    conversationId: string,
    page: { before?: number; limit: number },
  ): Promise<{ messages: DeskMessage[]; revision: number }>

  /**
   * Makes the actor the owner if the conversation is still owned by `from` (`null`: by nobody): ends the responder's turn and
   * a wait. A closed conversation opens. `claimed_by_other`: somebody else owns it.
   */
  claimConversation(
    scope: BotScope,
    conversationId: string,
    actor: Actor,
    from: string | null,
    at: string,
  ): Promise<'claimed' | 'claimed_by_other' | NotFound>
  /**
   * Stores a member's message, and claims the conversation if nobody owns it. `claimed_by_other`: somebody else owns it.
   * `answered_meanwhile`: another member or the organization's server has answered since `knownSeq`.
   */
  appendReply(
    scope: BotScope,
    conversationId: string,
    actor: Actor,
    message: NewMessageWithFiles,
    knownSeq: number,
  ): Promise<
    | { message: Message; repeated: boolean }
    | 'claimed_by_other'
    | 'answered_meanwhile'
    | 'reused'
    | 'file_missing'
    | NotFound
  >
  /** Stores an internal note. The same note again is harmless. */
  appendNote(
    scope: BotScope,
    conversationId: string,
    actor: Actor,
    note: { id: string; text: string; at: string },
  ): Promise<Note | 'reused' | NotFound>
  /** Moves the position up to which members have seen the conversation forward; resolves to whether it moved. */
  markSeen(scope: BotScope, conversationId: string, seq: number, at: string): Promise<boolean>
  /**
   * Keeps the member's drafts for the conversation; `''` deletes one. What is absent stays. `knownSeq`: the last message when
   * the reply was begun.
   */
  keepDraft(
    memberId: string,
    conversationId: string,
    draft: { reply?: string | undefined; note?: string | undefined; knownSeq?: number | undefined },
  ): Promise<void>
  findDrafts(memberId: string, conversationId: string): Promise<OpenedConversation['drafts']>
  /**
   * Lets conversations wait again whose owner was not active since `awaySince`, and whose visitor has written last. Resolves
   * to them, at most `limit`.
   */
  releaseConversations(awaySince: string, handover: Handover, limit: number): Promise<{ id: string; botId: string }[]>
}
