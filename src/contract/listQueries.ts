import * as v from 'valibot'
import { text } from './formats.ts'
import { fieldMessage, string } from './validation.ts'

/** A whole number as a text of the query string. The OpenAPI document declares it as a number without a pattern. */
export const queryInteger = (
  pattern: RegExp,
  detail: string,
  words: { description: string; minimum: number; maximum: number },
) =>
  v.pipe(
    string(),
    v.regex(pattern, fieldMessage('out_of_range', detail)),
    v.metadata({ ...words, type: 'integer', pattern: undefined }),
    v.transform(Number),
  )

/** The largest number in a query string: 15 digits, which every store can represent. */
export const maxQueryNumber = 999_999_999_999_999

/** A whole number from 1 on as a text of the query string. */
export const positive = (description: string) =>
  queryInteger(/^[1-9]\d{0,14}$/, 'Must be a whole number of at least 1.', {
    description,
    minimum: 1,
    maximum: maxQueryNumber,
  })

/** `limit` of 1–100 as a text of the query string (specification: "Contacts"). */
export const limitSchema = queryInteger(/^(?:[1-9]\d?|100)$/, 'Must be a whole number from 1 to 100.', {
  description: 'The most entries of a page.',
  minimum: 1,
  maximum: 100,
})

/** The place in a list after which a page begins. Only the platform reads it. */
export const cursorSchema = v.optional(
  v.pipe(
    string(),
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
