import type { Contact } from '../../contract/index.ts'
import { afterAllTimes } from './queries/common.ts'
import type { ContactPosition, ListedContacts, SearchTerm } from './records.ts'

/** How many matches of a search are counted. Its pages end there; its list continues. */
export const maxCounted = 10_000

/** The position before the newest contact. */
export const startOfContacts: ContactPosition = { createdAt: afterAllTimes, id: '', usesScan: false }

/** Whether all contacts match. */
export const matchesAll = ({ text }: SearchTerm): boolean => text.name === '' && text.rest === ''

/** Whether no contact can match: no field contains control characters. */
export const matchesNothing = ({ text, others = [] }: SearchTerm): boolean =>
  [text, ...others].some(({ name, rest }) => /\p{Cc}/u.test(name + rest))

/** The first index of a page and the one after its last; both are the total if the page is beyond the last one. */
export function pageWithin(
  total: number,
  { page, limit }: { page: number; limit: number },
): { start: number; end: number } {
  const start = Math.min((page - 1) * limit, total)
  return { start, end: Math.min(start + limit, total) }
}

/** The total of a search that found so many contacts, of which it counts `most`. `isWhole`: it has searched all contacts. */
export function countedTotal(found: number, most: number, isWhole = true): { total: number; totalIsExact?: false } {
  const total = Math.min(found, most)
  return isWhole && found <= most ? { total } : { total, totalIsExact: false }
}

/** Makes a page of a list from its rows. One row more than the limit means that there is a next page. */
export function toList(rows: Contact[], limit: number, usesScan: boolean): ListedContacts {
  const contacts = rows.slice(0, limit)
  const last = rows.length > limit ? contacts.at(-1) : undefined
  return { contacts, next: last ? { createdAt: last.createdAt, id: last.id, usesScan } : null }
}
