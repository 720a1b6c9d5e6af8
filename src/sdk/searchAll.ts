import type { Contact, Pagination } from '../contract/index.ts'

type ReadPage = (page: { page: number; limit: number }) => Promise<{ data: Contact[]; pagination: Pagination }>

const maxLimit = 100

/**
 * Goes through all rows of a search that is read by page number while others write. What is created shifts rows to later
 * pages, what is deleted to earlier ones; but the order, newest first, never changes between two contacts. So the last
 * contact that has been given out says what comes next, and a page that begins after it is read from further ahead.
 */
export async function* searchAll(readPage: ReadPage): AsyncGenerator<Contact, void, undefined> {
  let last: Contact | undefined
  let position = 0
  for (;;) {
    const { data, pagination } = await readPage(pageAround(position))
    const [first] = data
    if (!first) return
    if (last && pagination.startIndex > 0 && isAfter(first, last)) {
      // Rows between the two may have moved to where this one has passed already.
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

/** The page that holds the row before a position, as proof that nothing is left out, and the most rows from there on. */
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
