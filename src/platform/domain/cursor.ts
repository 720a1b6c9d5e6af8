import { hash } from 'node:crypto'
import type { ListPage, ListPlace } from '../store/store.ts'
import { isId } from './ids.ts'
import { fieldProblem } from './problem.ts'
import { isTimestamp } from './time.ts'

/**
 * The cursor of a place in a list. `list` identifies the list: the bot, and everything else that the client must not change
 * from page to page. The place consists of values that the page has shown, so the cursor is not secret.
 */
export function createCursor(list: readonly string[], place: readonly string[]): string {
  return Buffer.from(JSON.stringify([checkOf(list), ...place])).toString('base64url')
}

/** Parses a cursor. Throws `invalid_request` if `isPlace` refuses its parts, or if it belongs to another list. */
export function readCursor<Place extends string[]>(
  list: readonly string[],
  cursor: string,
  isPlace: (parts: string[]) => parts is Place,
): Place {
  const [check, ...place] = parse(cursor)
  if (!isPlace(place))
    throw invalid('Not a cursor. Send the `next` of the previous page, or leave out `after` to begin at the start.')
  if (check !== checkOf(list))
    throw invalid(
      'A cursor of another list. Send the `next` of a page of this bot and this search, or leave out `after` to begin at the start.',
    )
  return place
}

/** Reads a page of a list, and one entry more, to see whether there is a next page. */
export async function paginate<Entry>(
  list: readonly string[],
  { after, limit }: { after?: string | undefined; limit: number },
  read: (page: ListPage) => Promise<Entry[]>,
  placeOf: (entry: Entry) => ListPlace,
): Promise<{ data: Entry[]; next: string | null }> {
  const place = after === undefined ? undefined : readCursor(list, after, isPlace)
  const found = await read({ ...(place && { after: { at: place[0], id: place[1] } }), limit: limit + 1 })
  const data = found.slice(0, limit)
  const last = found.length > limit ? data.at(-1) : undefined
  if (!last) return { data, next: null }
  const { at, id } = placeOf(last)
  return { data, next: createCursor(list, [at, id]) }
}

const isPlace = (parts: string[]): parts is [at: string, id: string] =>
  parts.length === 2 && isTimestamp(parts[0]) && isId(parts[1] ?? '')

/** Detects mistakes only. An invented cursor merely reads the client's own list from another place. */
function checkOf(list: readonly string[]): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, 10)
}

function parse(cursor: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) && parts.every(part => typeof part === 'string') ? parts : []
  } catch {
    return []
  }
}

const invalid = (detail: string) => fieldProblem('/after', 'invalid_format', detail)
