import type { Contact } from '../../../contract/index.ts'
import type { ListedContacts } from '../records.ts'

/** Ours: up to so many matches of a search are counted. Beyond that its pages end, and only its list goes on. */
export const maxCounted = 10_000

/** Where the page begins and ends, the last one where it is beyond that. */
export function pageWithin(
  total: number,
  { page, limit }: { page: number; limit: number },
): { start: number; end: number } {
  const start = (Math.min(page, Math.max(1, Math.ceil(total / limit))) - 1) * limit
  return { start, end: Math.min(start + limit, total) }
}

/** The total of a search that found so many; `isWhole`: no more contacts are left to search. */
export function countedTotal(found: number, isWhole = true): { total: number; totalIsExact?: false } {
  const total = Math.min(found, maxCounted)
  return isWhole && found <= maxCounted ? { total } : { total, totalIsExact: false }
}

/** A page of a list out of as many rows, and one more if there is a next page. */
export function toList(rows: Contact[], limit: number, isBroad: boolean): ListedContacts {
  const contacts = rows.slice(0, limit)
  const last = rows.length > limit ? contacts.at(-1) : undefined
  return { contacts, next: last ? { createdAt: last.createdAt, id: last.id, isBroad } : null }
}
