import * as v from 'valibot'
import { text } from './formats.ts'
import { fieldMessage } from './validation.ts'

/** A whole number from 1 to `maximum` as a text of the query string. */
const queryInteger = (description: string, maximum: number, detail: string) =>
  v.pipe(
    v.string(),
    v.metadata({ description, type: 'integer', minimum: 1, maximum }),
    v.transform(text => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0)),
    v.check(value => value >= 1 && value <= maximum, fieldMessage('out_of_range', detail)),
  )

/** The largest number in a query string: 15 digits, which every store can represent. */
export const maxQueryNumber = 999_999_999_999_999

/** A whole number from 1 on as a text of the query string. */
export const positive = (description: string) =>
  queryInteger(description, maxQueryNumber, 'Must be a whole number of at least 1.')

/** `limit` of 1–100 as a text of the query string (specification: "Contacts"). */
export const limitSchema = queryInteger('The most entries of a page.', 100, 'Must be a whole number from 1 to 100.')

/** The place in a list after which a page begins. Only the platform reads it. */
export const cursorSchema = v.optional(
  v.pipe(
    v.string(),
    v.regex(
      /^[\w-]{1,300}$/,
      fieldMessage(
        'invalid_format',
        'Must be the `next` of the previous page. Leave out `after` to begin at the start.',
      ),
    ),
    v.description('`next` of the previous page of the same list; default: begin with the newest entry.'),
  ),
)

/** The cursor of the next page. */
export const nextSchema = v.nullable(text("The next page's `after`; `null` at the end."))
