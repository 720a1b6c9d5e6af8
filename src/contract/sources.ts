import * as v from 'valibot'
import { text } from './formats.ts'
import { fieldMessage, isHttpsUrl, maxCodePoints, maxEntries, notEmpty, object, plainText } from './validation.ts'

/** The most sources of a message, and the longest title and address of one. */
export const maxSources = 8
export const maxSourceTitleLength = 200
export const maxSourceUrlLength = 2048

/** Where an answer has its content from, as the visitor sees it. */
export const sourceSchema = object({
  title: text('Title of the source.'),
  url: text('Its https address.'),
})
export type Source = v.InferOutput<typeof sourceSchema>

/** One source that is sent to the platform. */
export const sourceInputSchema = object({
  title: v.pipe(
    plainText(maxSourceTitleLength, 'one line'),
    notEmpty,
    v.metadata({ description: 'Title of the source.', minLength: 1, maxLength: maxSourceTitleLength }),
  ),
  url: v.pipe(
    v.string(),
    maxCodePoints(maxSourceUrlLength),
    v.check(isHttpsUrl, fieldMessage('invalid_format', 'Must be an address such as https://shop.example/returns.')),
    v.metadata({ description: 'Its https address.', maxLength: maxSourceUrlLength, pattern: '^[hH][tT][tT][pP][sS]:' }),
  ),
})

/** The sources of an answer that is sent to the platform. */
export const sourcesSchema = v.pipe(
  v.array(sourceInputSchema),
  maxEntries(maxSources),
  v.description('Where the answer has its content from. They are shown as numbered links below it.'),
)
