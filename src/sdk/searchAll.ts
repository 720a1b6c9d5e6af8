import type { Contact, Pagination } from '../contract/index.ts'

type ReadPage = (page: { page: number; limit: number }) => Promise<{ data: Contact[]; pagination: Pagination }>

const maxLimit = 100

/**
 * Iterates over all results of a search by page number while contacts change. New contacts shift rows to later pages,
 * and deleted ones to earlier pages, but the order of two contacts (newest first) never changes. So the last contact
 * yielded shows where to continue. If a page begins after it, rows may be missing in between: read an earlier page.
 */
export async function* searchAll(readPage: ReadPage): AsyncGenerator<Contact, void, undefined> {
  let last: Contact | undefined
  let position = 0
  for (;;) {
    const { data, pagination } = await readPage(pageAround(position))
    const [first] = data
    if (!first) return
    if (last && pagination.startIndex > 0 && isAfter(first, last)) {
      // Rows in between may have moved to an earlier page.
      position = Math.max(0, pagination.startIndex - maxLimit + 1)
      continue
    }
    for (const contact of data) {
      if (last && !isAfter(contact, last)) continue
      last = contact
      yield contact
    }
    position = pagination.endIndex + 1
    if (position >= pagination.total) return
  }
}

/** The page that contains the row before a position, to prove that nothing is left out, and most rows after it. */
function pageAround(position: number): { page: number; limit: number } {
  const before = Math.max(0, position - 1)
  let best = { page: 1, limit: maxLimit, end: 0 }
  for (let limit = maxLimit; limit > 0; limit--) {
    const page = Math.floor(before / limit) + 1
    if (page * limit > best.end) best = { page, limit, end: page * limit }
  }
  return { page: best.page, limit: best.limit }
}

/** In the order of the search: newest first, then by id, descending. */
const isAfter = (one: Contact, other: Contact): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt
