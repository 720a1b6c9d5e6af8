import type { Conversation, Message } from '../../contract/index.ts'
import type { FaqFinder } from '../responders/faqFinder.ts'
import type { Bot, BotScope, Store } from '../store/store.ts'
import { isPersonRequest, isRetry } from '../texts/botTexts.ts'

/** Messages of visitors with the same words, for which there is no answer. */
export interface Gap {
  /** How many times it was asked. */
  count: number
  lastAskedAt: string
  /** The latest wording. */
  question: string
}

const pageSize = 100

/**
 * Searches the present content for everything that visitors have asked a bot, as far as their messages are still stored.
 * Messages that a person has answered are no gaps.
 */
export async function findGaps(
  store: Pick<Store, 'listConversations' | 'listMessages'>,
  { id: botId, organizationId, texts }: Pick<Bot, 'id' | 'organizationId' | 'texts'>,
  find: FaqFinder,
): Promise<Gap[]> {
  const gaps = new Map<string, Gap>()
  for await (const { id } of conversationsOf(store, { organizationId, botId })) {
    let answerer: string | undefined
    // The newest message first, so that each message's answer has been seen before it.
    for await (const { author, text, event, createdAt } of messagesOf(store, id)) {
      // An event answers nothing.
      if (event !== undefined) continue
      if (author !== 'visitor') answerer = author
      // A removed message, or one of files only, asks nothing.
      const isQuestion = author === 'visitor' && text !== '' && !isButton(text, texts)
      const match = isQuestion && answerer !== 'agent' ? find(text) : undefined
      if (match?.kind !== 'none') continue
      const key = [...new Set(match.words)].sort().join(' ')
      const { count, ...latest } = gaps.get(key) ?? { count: 0, lastAskedAt: '', question: '' }
      const isLatest = createdAt > latest.lastAskedAt
      gaps.set(key, { count: count + 1, ...(isLatest ? { lastAskedAt: createdAt, question: text } : latest) })
    }
  }
  return [...gaps.values()].sort((a, b) => b.count - a.count || b.lastAskedAt.localeCompare(a.lastAskedAt))
}

/** Whether the text is that of a button of Natter's own, which visitors send by pressing it. */
const isButton = (text: string, texts: Bot['texts']): boolean => isPersonRequest(text, texts) || isRetry(text, texts)

const conversationsOf = (store: Pick<Store, 'listConversations'>, scope: BotScope) =>
  readPages<Conversation>(async last => {
    const after = last && { at: last.lastMessage.createdAt, id: last.id }
    const page = await store.listConversations(scope, { limit: pageSize, ...(after && { after }) })
    return page === 'not_found' ? [] : page
  })

/** The messages of a conversation, the newest first. */
const messagesOf = (store: Pick<Store, 'listMessages'>, conversationId: string) =>
  readPages<Message>(async last => {
    const page = await store.listMessages(conversationId, { limit: pageSize, ...(last && { before: last.seq }) })
    return page.toReversed()
  })

/** Yields the entries of all pages. `read` gets the last entry of the page before. */
async function* readPages<Entry>(read: (last: Entry | undefined) => Promise<Entry[]>): AsyncGenerator<Entry, void> {
  let page: Entry[]
  let last: Entry | undefined
  do {
    page = await read(last)
    yield* page
    last = page.at(-1)
  } while (page.length === pageSize)
}
