import type { Conversation, ConversationPage } from '../contract/index.ts'

type ReadPage = (page: { after?: string; limit: number }) => Promise<ConversationPage>

/**
 * Iterates over all conversations while they change: one that gets a message moves to the front, perhaps from a page
 * that has not been read to one that has. So this reads the front again, down to the latest message at the start of the
 * last pass, until that takes a single page, which is a snapshot.
 */
export async function* listAll(readPage: ReadPage): AsyncGenerator<Conversation, void, undefined> {
  const given = new Set<string>()
  let frontBefore = ''
  for (;;) {
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
    if (pages === 1) return
    frontBefore = front ?? ''
  }
}
