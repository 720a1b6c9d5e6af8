import type { Contact } from '../../contract/index.ts'

/**
 * What to search for, as `normalizeQuery` returns it. A contact matches if its normalized name contains `text.name`, one
 * of its other normalized fields contains `text.rest`, or the digits of its phone or wid contain `digits`. If both texts
 * are `""`, all contacts match; a single `""` (a name of combining marks only) matches no name.
 */
export interface SearchTerm {
  text: { name: string; rest: string }
  digits?: string
}
export interface Search extends SearchTerm {
  /** Counted from 1. Beyond the last page, the last page is returned. */
  page: number
  limit: number
}
export interface FoundContacts {
  contacts: Contact[]
  total: number
  /** There may be more than `total`, which are not on any page. */
  totalIsExact?: false
}
/** A position in the list of contacts: after the contact with this time and id, which may be deleted by now. */
export interface ContactPosition {
  createdAt: string
  id: string
  /** Whether so many contacts match that the list compares them one after the other, without the index. */
  isBroad: boolean
}
export interface ContactPageStart extends SearchTerm {
  after?: ContactPosition
  limit: number
}
export interface ListedContacts {
  /** May be fewer than the limit, even none, before the end of the list. */
  contacts: Contact[]
  /** `null` at the end of the list. */
  next: ContactPosition | null
}
