import * as v from 'valibot'
import { codePoints, fieldMessage, string } from './validation.ts'

/** The pagination object of a contact search (Spec 2.3). */
export const paginationSchema = v.object({
  total: v.number(),
  page: v.number(),
  limit: v.number(),
  totalPages: v.number(),
  startPage: v.number(),
  endPage: v.number(),
  startIndex: v.number(),
  endIndex: v.number(),
  pages: v.array(v.number()),
})
export type Pagination = v.InferOutput<typeof paginationSchema>

const integer = (pattern: RegExp, detail: string) =>
  v.pipe(string(), v.regex(pattern, fieldMessage('out_of_range', detail)), v.transform(Number))

/** `limit` of 1–100 as it stands in a query string (Spec 4.2). */
export const limitSchema = integer(/^(?:[1-9]\d?|100)$/, 'Must be a whole number from 1 to 100.')

/** Query parameters of the contact search (Spec 4.2), as strings from the URL. */
export const contactSearchSchema = v.object({
  query: v.optional(
    v.pipe(
      string(),
      v.trim(),
      v.check(text => codePoints(text) <= 256, fieldMessage('too_long', 'Must have at most 256 characters.')),
    ),
    '',
  ),
  page: v.optional(integer(/^[1-9]\d{0,14}$/, 'Must be a whole number from 1 on.'), '1'),
  limit: v.optional(limitSchema, '10'),
})
/** Parameters of a contact search: `query` (≤ 256 characters), `page` (from 1), `limit` (1–100, default 10). */
export type ContactSearch = { query?: string; page?: number; limit?: number }

const windowSize = 10
const pagesBefore = 5

/**
 * The pagination object for a result of `total` rows (Spec 2.3).
 * Ours: a page beyond the last is clamped to it; indexes are 0-based and inclusive; the window shows at most ten
 * page numbers, five before the page and four after, shifted at the ends.
 */
export function paginate(requestedPage: number, limit: number, total: number): Pagination {
  const totalPages = Math.ceil(total / limit)
  const page = Math.max(1, Math.min(requestedPage, totalPages))
  const endPage = Math.min(totalPages, Math.max(1, page - pagesBefore) + windowSize - 1)
  const startPage = Math.max(1, endPage - windowSize + 1)
  const startIndex = (page - 1) * limit
  const endIndex = Math.min(startIndex + limit, total) - 1
  const pages = Array.from({ length: endPage - startPage + 1 }, (_, index) => startPage + index)
  return { total, page, limit, totalPages, startPage, endPage, startIndex, endIndex, pages }
}
