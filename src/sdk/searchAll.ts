import type { Contact, ContactListPage } from '../contract/index.ts'

type ReadPage = (page: { after?: string; limit: number }) => Promise<ContactListPage>

/**
 * Iterates over all contacts of a search from cursor to cursor. The order of two contacts (newest first) never changes,
 * so no page repeats or omits one, whatever is created or deleted meanwhile.
 */
export async function* searchAll(readPage: ReadPage): AsyncGenerator<Contact, void, undefined> {
  let next: string | null = null
  do {
    const page: ContactListPage = await readPage({ limit: 100, ...(next !== null && { after: next }) })
    yield* page.data
    next = page.next
  } while (next !== null)
}
