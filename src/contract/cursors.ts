import * as v from 'valibot'
import { text } from './formats.ts'
import { fieldMessage, string } from './validation.ts'

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
