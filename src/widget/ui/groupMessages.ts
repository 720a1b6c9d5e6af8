import type { ReadonlySignal } from '@preact/signals'
import type { ConversationEventName, Message } from '../../contract/index.ts'
import type { PendingMessage } from '../conversation/conversation.ts'
import type { Strings } from '../i18n/en.ts'
import { isSameDay } from './dates.ts'

/** An entry of the transcript: a stored or pending message, an event, a line of the greeting, or the streaming reply. */
export interface TranscriptItem
  extends Pick<Message, 'id' | 'author' | 'sender' | 'sources' | 'event' | 'attachments' | 'rating' | 'removedAt'>,
    Pick<PendingMessage, 'resumesAt' | 'files'> {
  /** A signal for the streaming reply. */
  text: string | ReadonlySignal<string>
  format?: Message['format'] | undefined
  /** The language of the text, if it is another than the author's. */
  lang?: string
  /** Stored messages only. */
  seq?: number
  /** `''` for a greeting, which has no time. */
  createdAt: string
  /** Pending messages only. */
  status?: PendingMessage['status']
}

/** An item, and how it is shown in the transcript. */
export interface Row {
  /** The same object each time, except for pending messages and the greeting, so that the row doesn't render again. */
  item: TranscriptItem
  /** First and last of a group by one person. */
  isFirst: boolean
  isLast: boolean
  /** Of the last of a group: whether the next message is of another minute. */
  showsTime: boolean
  startsDay: boolean
  isFirstUnread: boolean
  /** Set if somebody else answers from this message on. */
  takeover: Takeover | undefined
  /** Set for pending messages and for the visitor's last message. */
  status: PendingMessage['status'] | 'sent' | undefined
}

interface GroupOptions {
  /** Messages after this `seq` are unread. Without it, none is. */
  readUpTo: number | undefined
  /** The messages above which a line says who answers from now on. */
  takeovers: ReadonlyMap<string, Takeover>
  /** Returns only the rows from this index up to `to`. They are grouped as if all were returned. */
  from: number
  to: number
}

const maxGroupGapMs = 120_000

/** Creates the rows of the transcript. Messages of one person on one day, at most two minutes apart, form a group. */
export function groupMessages(
  items: readonly TranscriptItem[],
  { readUpTo = Infinity, takeovers, from, to }: GroupOptions,
): Row[] {
  const firstUnread = items.find(
    ({ author, event, seq = 0, removedAt }) => author !== 'visitor' && !event && seq > readUpTo && !removedAt,
  )
  const lastOwn = items.findLast(({ author }) => author === 'visitor')
  const rows: Row[] = []
  // Include one neighbour on either side to find where groups begin and end. Both are removed below.
  for (const item of withoutDuplicates(items.slice(Math.max(from - 1, 0), to + 1))) {
    const before = rows.at(-1)
    const startsDay = item.createdAt !== '' && !(before && isSameDay(before.item.createdAt, item.createdAt))
    const isFirstUnread = item === firstUnread
    const continuesGroup = before !== undefined && !startsDay && !isFirstUnread && isSameGroup(before.item, item)
    if (continuesGroup) before.isLast = false
    // An event shows no time.
    if (before) before.showsTime = item.event !== undefined || minuteOf(before.item) !== minuteOf(item)
    rows.push({
      item,
      isFirst: !continuesGroup,
      isLast: true,
      showsTime: true,
      startsDay,
      isFirstUnread,
      takeover: takeovers.get(item.id),
      status: item.status ?? (item.id === lastOwn?.id ? 'sent' : undefined),
    })
  }
  return rows.slice(from && 1, to < items.length ? -1 : undefined)
}

const minuteOf = ({ createdAt }: TranscriptItem) => Math.floor(Date.parse(createdAt) / 60_000)

/** Shows a message once if it is stored and still pending or streaming. */
function withoutDuplicates(items: readonly TranscriptItem[]): Iterable<TranscriptItem> {
  const byId = new Map<string, TranscriptItem>()
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item)
  return byId.values()
}

function isSameGroup(before: TranscriptItem, item: TranscriptItem): boolean {
  return (
    before.author === item.author &&
    // The sender of a removed message is unknown.
    (item.removedAt !== undefined || before.sender?.name === item.sender?.name) &&
    !(Date.parse(item.createdAt) - Date.parse(before.createdAt) > maxGroupGapMs) &&
    // A failed message has its own status line with buttons.
    before.status !== 'failed' &&
    item.status !== 'failed'
  )
}

/** Who answers from a message on, if that is not who answered before: a person of the team, or the bot again. */
type Takeover = 'agent' | 'bot'

/**
 * Finds the messages, by id, above which a line says who answers from now on. An event says so itself, so none is needed
 * after it. `isFromStart`: the first item is the first of the conversation. Otherwise the first agent may have joined
 * before.
 */
export function findTakeovers(
  items: readonly Pick<Message, 'id' | 'author' | 'sender' | 'event' | 'removedAt'>[],
  isFromStart: boolean,
): ReadonlyMap<string, Takeover> {
  const takeovers = new Map<string, Takeover>()
  // The agent who answers, `null` for the bot. It is unknown until one of them has answered.
  let agent: string | null | undefined = isFromStart ? null : undefined
  for (const { id, author, sender, event, removedAt } of items) {
    // Nobody knows who wrote a removed message.
    if (removedAt) continue
    if (event) agent = null
    else if (author === 'agent') {
      const name = sender?.name ?? ''
      if (agent !== undefined && agent !== name) takeovers.set(id, 'agent')
      agent = name
    } else if (author === 'bot') {
      if (typeof agent === 'string') takeovers.set(id, 'bot')
      agent = null
    }
  }
  return takeovers
}

/** The last event, or message of a person: whether the visitor waits for one. What a bot says meanwhile changes nothing. */
export const lastOfTeam = <Item extends Pick<Message, 'author' | 'event'>>(items: readonly Item[]): Item | undefined =>
  items.findLast(({ author, event }) => event || author === 'agent')

/** The texts of the events of a conversation. The platform may know more events: they are not shown. */
const texts = {
  handed_back: 'handedBack',
  handover_requested: 'handoverRequested',
  handover_expired: 'handoverExpired',
} as const satisfies Record<ConversationEventName, keyof Strings>

export const eventTexts: ReadonlyMap<string, (typeof texts)[ConversationEventName]> = new Map(Object.entries(texts))
