import type { Conversation, ConversationPage } from '../contract/index.ts'
import { defaultTimeLimitMs } from '../contract/limits.ts'

type ReadPage = (page: { after?: string; limit: number }) => Promise<ConversationPage>

/**
 * How much older than the front of the list a message may be that arrives there now: it has the time at which its request
 * began, and the clocks of two nodes may differ.
 */
const lateMs = 2 * defaultTimeLimitMs

/**
 * Iterates over all conversations while they change: one that gets a message moves to the front, perhaps from a page
 * that has not been read to one that has. So this reads the front again, down to the latest message at the start of the
 * last pass, until that takes a single page, which is a snapshot, or has given nothing new twice in a row. During a pass
 * of several pages, a conversation can move past the reader. It is left out if it does so each time.
 */
export async function* listAll(readPage: ReadPage): AsyncGenerator<Conversation, void, undefined> {
  const given = new Set<string>()
  let frontBefore = ''
  for (let passesWithoutNew = 0; ; ) {
    const givenBefore = given.size
    let front: string | undefined
    let next: string | null = null
    let pages = 0
    do {
      const page: ConversationPage = await readPage({ limit: 100, ...(next !== null && { after: next }) })
      pages++
      front ??= page.data[0]?.lastMessage.createdAt
      next = page.next
      for (const conversation of page.data) {
        if (conversation.lastMessage.createdAt < frontBefore) {
          next = null
          break
        }
        if (given.has(conversation.id)) continue
        given.add(conversation.id)
        yield conversation
      }
    } while (next !== null)
    passesWithoutNew = given.size === givenBefore ? passesWithoutNew + 1 : 0
    if (pages === 1 || passesWithoutNew === 2 || front === undefined) return
    frontBefore = new Date(Date.parse(front) - lateMs).toISOString()
  }
}
