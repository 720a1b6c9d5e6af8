import * as v from 'valibot'
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
