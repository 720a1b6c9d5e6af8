import type {
  ConversationChanges,
  DeskConversation,
  DeskConversationPage,
  DeskCounts,
  DeskMessage,
  Note,
  OpenedConversation,
  Person,
} from '../../contract/desk.ts'
import type { Numbers } from '../../contract/deskNumbers.ts'
import { type BodyOf, type Message, messageIdPattern, type QueryOf, type ResponseOf } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import { excerptOf } from '../search/excerpt.ts'
import { hasTrigram, normalizeQuery } from '../search/searchNormalization.ts'
import type {
  AuditStore,
  ConversationStore,
  DayNumbers,
  DeskListFilter,
  DeskStore,
  ListPage,
  MemberRow,
  NewMessageWithFiles,
  OrganizationStore,
  StateChange,
} from '../store/store.ts'
import { announce, announceStatus } from './announce.ts'
import { createCursor, paginate, readCursor } from './cursor.ts'
import { actorOf, listVisibleBots } from './members.ts'
import { fieldProblem, fileMissing, notFound, problem } from './problem.ts'
import { conversationSubject } from './subjects.ts'
import { type TeamConversations, withoutPastPause } from './teamConversations.ts'
import { isTimestamp, timestamp } from './time.ts'
import { requireVisibleConversation } from './visibleConversation.ts'

/** The operations of a member on the conversations of the bots that it sees. Of others it learns nothing: `not_found`. */
export type Desk = ReturnType<typeof createDesk>

export interface DeskOptions {
  store: DeskStore &
    Pick<AuditStore, 'recordAudit' | 'findConversationRead'> &
    Pick<ConversationStore, 'changeState' | 'findConversation'> &
    Pick<OrganizationStore, 'findBot' | 'listBots'>
  /** Removes messages. */
  teamConversations: Pick<TeamConversations, 'deleteMessage'>
  bus: Bus
  clock: Clock
}

const dayMs = 24 * 60 * 60 * 1000

/** How many messages an opened conversation has, and each earlier page. */
const pageSize = 50
/** The audit list has a member's reading of a conversation once in this time. */
const readAgainMs = 60 * 60 * 1000

export function createDesk({ store, teamConversations, bus, clock }: DeskOptions) {
  const now = (): string => timestamp(clock.now())

  const find = (member: MemberRow, conversationId: string) => requireVisibleConversation(store, member, conversationId)

  /** Records that the member reads the conversation, before it does. */
  async function beginReading(member: MemberRow, conversationId: string): Promise<void> {
    await find(member, conversationId)
    const since = timestamp(clock.now() - readAgainMs)
    if (!(await store.findConversationRead(member.id, conversationId, since))) {
      const { organizationId } = member
      const entry = { organizationId, event: 'conversation_read', member: actorOf(member), conversationId } as const
      await store.recordAudit({ ...entry, createdAt: now() })
    }
  }

  async function requireConversation(conversationId: string): Promise<DeskConversation> {
    const found = await store.findDeskConversation(conversationId)
    if (!found) throw notFound()
    return withoutPastPause(found, clock.now())
  }

  async function requirePerson(conversationId: string): Promise<Person> {
    const person = await store.findPerson(conversationId, now())
    if (!person) throw notFound()
    return person
  }

  /** The ids of the bots whose conversations the member sees; of only one, if that is asked for. */
  async function botIdsOf(member: MemberRow, botId?: string): Promise<string[]> {
    const ids = (await listVisibleBots(store, member)).map(({ id }) => id)
    if (botId === undefined) return ids
    if (!ids.includes(botId)) throw notFound()
    return [botId]
  }

  /** The problem of a member who does not own the conversation. */
  async function claimedByOther(conversationId: string) {
    const owner = (await store.findDeskConversation(conversationId))?.assignee
    return problem('claimed_by_other', owner ? { detail: `${owner.name} answers this conversation now.` } : {})
  }

  async function search(
    { organizationId }: MemberRow,
    filter: DeskListFilter,
    query: string,
    { list, after, limit }: { list: string[]; after: string | undefined; limit: number },
  ): Promise<DeskConversationPage> {
    const term = normalizeQuery(query)
    const names = term.words.map(({ name }) => name)
    if (!names.some(hasTrigram)) throw fieldProblem('/query', 'too_short', 'Must have a word of at least 3 characters.')
    const place = after === undefined ? undefined : readCursor(list, after, isSearchPlace)
    const start = place ? { after: { contact: { at: place[0], id: place[1] }, message: Number(place[2]) } } : {}
    const { matches, next } = await store.searchConversations({ organizationId }, filter, term, { ...start, limit })
    const excerpts = matches.flatMap(({ conversation, texts }) => {
      const excerpt = excerptOf(texts, names)
      return excerpt ? [[conversation.id, excerpt] as const] : []
    })
    return {
      data: matches.map(({ conversation }) => withoutPastPause(conversation, clock.now())),
      next: next && createCursor(list, [next.contact.at, next.contact.id, `${next.message}`]),
      excerpts: Object.fromEntries(excerpts),
    }
  }

  return {
    find,

    async list(
      member: MemberRow,
      { after, limit, ...wanted }: QueryOf<'listDeskConversations'>,
    ): Promise<DeskConversationPage> {
      const { view, query, state, owner, bot, days } = wanted
      const list = ['desk', member.organizationId, JSON.stringify(wanted)]
      const filter: DeskListFilter = {
        ...{ view, botIds: await botIdsOf(member, bot), memberId: member.id, state },
        owner: owner === 'nobody' ? '' : owner,
        since: days && timestamp(clock.now() - Number(days) * dayMs),
      }
      if (query !== undefined) return search(member, filter, query, { list, after, limit })
      const read = async (page: ListPage) =>
        (await store.listDeskConversations(filter, page)).map(found => withoutPastPause(found, clock.now()))
      const page = await paginate(list, { after, limit }, read, ({ waitingSince, lastMessageAt, id }) => ({
        at: (view === 'waiting' && waitingSince) || lastMessageAt,
        id,
      }))
      return { ...page, excerpts: {} }
    },

    /** The numbers of the last days, today included. */
    async numbers(member: MemberRow, { days, bot, offset }: QueryOf<'retrieveNumbers'>): Promise<Numbers> {
      const botIds = await botIdsOf(member, bot)
      const offsetMs = offset * 60_000
      const first = Math.floor((clock.now() + offsetMs) / dayMs) - days + 1
      const since = timestamp(first * dayMs - offsetMs)
      const [{ waiting }, { days: found, unanswered }] = await Promise.all([
        store.listDeskCounts({ botIds, memberId: member.id }),
        store.computeNumbers(member, { botIds, since, offsetSeconds: offset * 60 }),
      ])
      const of = (day: number | null) => toNumbers(found.find(each => each.day === day))
      return {
        waiting,
        total: of(null),
        days: Array.from({ length: days }, (_, n) => ({
          date: timestamp((first + n) * dayMs).slice(0, 10),
          ...of(first + n),
        })),
        unanswered,
      }
    },

    count: async (member: MemberRow): Promise<DeskCounts> =>
      store.listDeskCounts({ botIds: await botIdsOf(member), memberId: member.id }),

    async open(member: MemberRow, conversationId: string): Promise<OpenedConversation> {
      await beginReading(member, conversationId)
      // The conversation first: what is listed after it may only be newer.
      const conversation = await requireConversation(conversationId)
      const { messages, revision } = await store.listMessagesForDesk(conversationId, { limit: pageSize })
      const [notes, person, drafts] = await Promise.all([
        store.listNotes(conversationId, { fromSeq: firstSeqOf(messages), toSeq: Number.MAX_SAFE_INTEGER }),
        requirePerson(conversationId),
        store.findDrafts(member.id, conversationId),
      ])
      return { conversation, messages, revision, notes, person, drafts }
    },

    async listChanges(
      member: MemberRow,
      conversationId: string,
      { after = 0, revision = 0, notes = 0 }: QueryOf<'listConversationChanges'>,
    ): Promise<ConversationChanges> {
      await beginReading(member, conversationId)
      const conversation = await requireConversation(conversationId)
      const changes = await store.listConversationChanges(conversationId, { after, revision, notes })
      return { conversation, ...changes, person: await requirePerson(conversationId) }
    },

    async listEarlier(
      member: MemberRow,
      conversationId: string,
      { before }: QueryOf<'listEarlierMessages'>,
    ): Promise<ResponseOf<'listEarlierMessages'>['data']> {
      await beginReading(member, conversationId)
      const { messages } = await store.listMessagesForDesk(conversationId, { before, limit: pageSize })
      const range = { fromSeq: firstSeqOf(messages), toSeq: before - 1 }
      return { messages, notes: await store.listNotes(conversationId, range) }
    },

    /** Stores a reply, which visitors see under the member's name. The same reply again is harmless. */
    async reply(
      member: MemberRow,
      conversationId: string,
      { id, text, format, attachments, knownSeq }: BodyOf<'reply'>,
    ): Promise<DeskMessage> {
      const { scope } = await find(member, conversationId)
      const message: NewMessageWithFiles = {
        id,
        author: 'agent',
        text,
        format,
        files: attachments,
        createdAt: now(),
        sender: { name: member.name },
      }
      const result = await store.appendReply(scope, conversationId, actorOf(member), message, knownSeq)
      if (result === 'not_found') throw notFound()
      if (result === 'claimed_by_other') throw await claimedByOther(conversationId)
      if (result === 'answered_meanwhile') throw problem('answered_meanwhile')
      if (result === 'file_missing') throw fileMissing()
      if (result === 'reused') throw problem('id_reused')
      if (!result.repeated) {
        // Publish in this order, so that no stream gets more of a reply after the member's message.
        bus.publish(conversationSubject(conversationId), { type: 'taken_over' })
        announce(bus, { ...scope, conversationId }, { type: 'stored' })
      }
      return { ...result.message, memberId: member.id }
    },

    async addNote(member: MemberRow, conversationId: string, { id, text }: BodyOf<'addNote'>): Promise<Note> {
      const { scope } = await find(member, conversationId)
      const note = await store.appendNote(scope, conversationId, actorOf(member), { id, text, at: now() })
      if (note === 'not_found') throw notFound()
      if (note === 'reused') throw problem('id_reused')
      announce(bus, { ...scope, conversationId })
      return note
    },

    async claim(member: MemberRow, conversationId: string, { from }: BodyOf<'claim'>): Promise<DeskConversation> {
      const { scope } = await find(member, conversationId)
      const result = await store.claimConversation(scope, conversationId, actorOf(member), from, now())
      if (result === 'not_found') throw notFound()
      if (result === 'claimed_by_other') throw await claimedByOther(conversationId)
      announceStatus(bus, { ...scope, conversationId }, 'claimed')
      return requireConversation(conversationId)
    },

    /** Hands back, closes or reopens. Nothing happens if it is so already, or if the visitor has written after `knownSeq`. */
    async changeState(
      member: MemberRow,
      conversationId: string,
      change: StateChange,
      knownSeq?: number,
    ): Promise<DeskConversation> {
      const { scope } = await find(member, conversationId)
      const result = await store.changeState(scope, { conversationId }, change, {
        at: now(),
        actor: actorOf(member),
        knownSeq,
      })
      if (typeof result === 'string') throw notFound()
      if (result.value !== null) announceStatus(bus, { ...scope, conversationId }, change)
      return requireConversation(conversationId)
    },

    async keepDraft(member: MemberRow, conversationId: string, draft: BodyOf<'keepDraft'>): Promise<void> {
      await find(member, conversationId)
      await store.keepDraft(member.id, conversationId, draft)
    },

    async markSeen(member: MemberRow, conversationId: string, { seq }: BodyOf<'markSeen'>): Promise<void> {
      const { scope } = await find(member, conversationId)
      if (await store.markSeen(scope, conversationId, seq, now())) announce(bus, { ...scope, conversationId })
    },

    async removeMessage(member: MemberRow, conversationId: string, messageId: string): Promise<void> {
      if (!messageIdPattern.test(messageId.toLowerCase())) throw notFound()
      const { scope } = await find(member, conversationId)
      await teamConversations.deleteMessage(scope, { conversationId }, messageId, actorOf(member))
    },
  }
}

const isSearchPlace = (parts: string[]): parts is [at: string, id: string, message: string] =>
  parts.length === 3 &&
  (isTimestamp(parts[0]) || parts[0] === '~') &&
  /^[\w-]*$/.test(parts[1] ?? '') &&
  /^\d{1,16}$/.test(parts[2] ?? '')

/** Numbers as the desk gets them; zeros for a day without any. */
function toNumbers(found?: DayNumbers): Numbers['total'] {
  const { day: _, median, p90, ...counts } = found ?? noNumbers
  return { ...counts, firstAnswer: median === null || p90 === null ? null : { median, p90 } }
}

const noNumbers: DayNumbers = {
  ...{ day: null, conversations: 0, byBot: 0, handedOver: 0, up: 0, down: 0 },
  ...{ median: null, p90: null },
}

/** The `seq` after which the notes of a page stand; 0 where the conversation begins. */
const firstSeqOf = (messages: Message[]): number => (messages.length < pageSize ? 0 : (messages[0]?.seq ?? 0))
