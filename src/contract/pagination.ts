import * as v from 'valibot'
import { contactFields, contactSchema, emailSchema } from './contacts.ts'
import * as answer from './formats.ts'
import { cursorSchema, limitSchema, nextSchema, positive } from './listQueries.ts'
import { fieldMessage, maxCodePoints, object, parameters } from './validation.ts'

/** The pagination object of a contact search (specification: "Pagination object"). */
export const paginationSchema = object({
  total: answer.integer('Number of contacts found, on all pages.'),
  page: answer.integer('Number of this page, as the request asks for it.', 1),
  limit: answer.integer('The most contacts of a page.', 1),
  totalPages: answer.integer('Number of pages.'),
  startPage: answer.integer('First number of `pages`.', 1),
  endPage: answer.integer('Last number of `pages`; 0 if nothing was found.'),
  startIndex: answer.integer('Position of the first contact of this page, from 0; `total` beyond the last page.'),
  endIndex: answer.integer('Position of its last contact; `total` - 1 beyond the last page.', -1),
  pages: v.pipe(
    v.array(v.number()),
    v.metadata({
      description: 'At most ten page numbers around this page; the last ones beyond the last page.',
      items: { type: 'integer', minimum: 1 },
      maxItems: 10,
    }),
  ),
  totalIsExact: v.optional(
    v.pipe(
      v.literal(false),
      v.description('`false` if there may be more contacts than `total`, which are on no page. Otherwise absent.'),
    ),
  ),
})
export type Pagination = v.InferOutput<typeof paginationSchema>

const searchText = v.optional(
  v.pipe(
    v.string(),
    v.trim(),
    maxCodePoints(256),
    v.metadata({
      description:
        'Text to find in any field except the timestamps. Case is ignored, and so are accents in names. An empty text finds all contacts.',
      maxLength: 256,
    }),
  ),
  '',
)

/** Ours: finds the one contact with this email. */
const exactEmail = v.optional(
  v.pipe(
    emailSchema,
    v.metadata({
      description:
        'Finds the contact with exactly this email, compared in the same way as when a contact is created. Not together with `query`.',
    }),
  ),
)

const noFilters = ['id', ...contactFields.filter(name => name !== 'email')]

/** What a client may mean to search contacts by, whether or not it is a filter. */
export const searchNames: readonly string[] = ['query', 'email', ...noFilters]

/**
 * Query parameters of the contact search (specification: "Contacts"), as strings from the URL. Unknown ones are ignored, but
 * not a name of a field: who sends it believes that it is a filter.
 */
export const contactSearchSchema = v.pipe(
  v.looseObject({
    query: searchText,
    email: exactEmail,
    page: v.optional(positive('Number of the page, from 1.'), '1'),
    limit: v.optional(limitSchema, '10'),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { value: input } = dataset
    for (const [key, value] of Object.entries(input))
      if (noFilters.includes(key))
        addIssue({ message: noFilter, path: [{ type: 'object', origin: 'value', input, key, value }] })
  }),
)
const noFilter = fieldMessage('unknown', 'This is no filter. Search with query, or with email for exactly one contact.')
/**
 * Parameters of a contact search: `query` (≤ 256 characters) or `email` (exactly this one), `page` (from 1), `limit`
 * (1–100, default 10).
 */
export type ContactSearch = {
  query?: string | undefined
  email?: string | undefined
  page?: number | undefined
  limit?: number | undefined
}

/** Query parameters of the list of contacts, as strings from the URL. */
export const contactListSchema = parameters({
  query: searchText,
  email: exactEmail,
  after: cursorSchema,
  limit: v.optional(limitSchema, '30'),
})

/** A page of the list of contacts. */
export const contactListPageSchema = object({ data: v.array(contactSchema), next: nextSchema })
export type ContactListPage = v.InferOutput<typeof contactListPageSchema>

const windowSize = 10
const pagesBefore = 5

/**
 * The pagination object for a result of `total` rows (specification: "Pagination object"). Ours: indexes are 0-based and
 * inclusive, and the window shows at most ten page numbers, five before the page and four after, shifted at the ends. A
 * page after the last is empty, so that a client which reads until then comes to an end.
 */
export function paginate(page: number, limit: number, total: number): Pagination {
  const totalPages = Math.ceil(total / limit)
  const endPage = Math.min(totalPages, Math.max(1, page - pagesBefore) + windowSize - 1)
  const startPage = Math.max(1, endPage - windowSize + 1)
  const startIndex = Math.min((page - 1) * limit, total)
  const endIndex = Math.min(startIndex + limit, total) - 1
  const pages = Array.from({ length: endPage - startPage + 1 }, (_, index) => startPage + index)
  return { total, page, limit, totalPages, startPage, endPage, startIndex, endIndex, pages }
}
