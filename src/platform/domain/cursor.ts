import { hash } from 'node:crypto'
import { fieldProblem } from './problem.ts'

/**
 * The cursor of a place in a list. `list` says which list it is: the bot and what else the client must not change from
 * page to page. The place consists of values that the page showed anyway, so the cursor needs no secrecy.
 */
export function createCursor(list: readonly string[], place: readonly string[]): string {
  return Buffer.from(JSON.stringify([checkOf(list), ...place])).toString('base64url')
}

/** The place of a cursor, of as many parts as `isPlace` accepts. Throws a problem that says what to do. */
export function readCursor<Place extends string[]>(
  list: readonly string[],
  cursor: string,
  isPlace: (parts: string[]) => parts is Place,
): Place {
  const [check, ...place] = parse(cursor)
  if (!isPlace(place))
    throw invalid('Not a cursor. Send the `next` of the page before, or leave `after` out to begin at the start.')
  if (check !== checkOf(list))
    throw invalid(
      'A cursor of another list. Send the `next` of a page of this bot and this search, or leave `after` out to begin at the start.',
    )
  return place
}

/** Only to detect mistakes: whoever makes a cursor up reads a list of their own from another place. */
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
