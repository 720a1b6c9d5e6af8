import * as v from 'valibot'
import { codePoints, fieldMessage, object } from './validation.ts'

/** Facts about a visitor, such as `{ plan: 'pro', cart: 3 }`. */
export type Attributes = Record<string, string | number | boolean>

/** The limits of attributes. Bytes are those of their JSON in UTF-8. */
const limits = { keys: 20, textLength: 500, bytes: 2048 }
/** JavaScript stores a larger number as another one. */
const maxNumber = Number.MAX_SAFE_INTEGER
const keyPattern = /^[A-Za-z][\w.-]{0,39}$/

const isObject = (input: unknown): boolean => typeof input === 'object' && input !== null && !Array.isArray(input)

const form = {
  type: 'object',
  maxProperties: limits.keys,
  propertyNames: { pattern: keyPattern.source },
  additionalProperties: {
    anyOf: [
      { type: 'string', maxLength: limits.textLength },
      { type: 'number', minimum: -maxNumber, maximum: maxNumber },
      { type: 'boolean' },
    ],
  },
}
const words =
  'At most 20 keys such as `plan` or `page.path`. Values are texts of at most 500 characters, numbers or booleans. At most 2 KiB of JSON.'

/** Attributes in a request. Not `v.record`, which drops some keys without an error. */
export const attributesSchema = v.pipe(
  v.custom<Attributes>(isObject, fieldMessage('wrong_type', 'Must be an object, in a JSON body.')),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { value: input } = dataset
    const entries = Object.entries(input)
    if (entries.length > limits.keys) {
      addIssue({ message: fieldMessage('too_long', `Must have at most ${limits.keys} keys.`) })
      return
    }
    let isValid = true
    for (const [key, value] of entries) {
      const message = problemOf(key, value)
      if (message === undefined) continue
      isValid = false
      addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value }] })
    }
    // The size is only checked if all values are valid: Infinity, for example, would be measured as null.
    if (isValid && new TextEncoder().encode(JSON.stringify(input)).length > limits.bytes)
      addIssue({ message: fieldMessage('too_long', `Must have at most ${limits.bytes} bytes as JSON, all together.`) })
  }),
  v.metadata({ description: words, ...form }),
)

function problemOf(key: string, value: unknown): string | undefined {
  if (!keyPattern.test(key))
    return fieldMessage('invalid_format', 'A key must be a letter and up to 39 of A-Z, a-z, 0-9, _, . and -.')
  if (typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) <= maxNumber)) return undefined
  if (typeof value === 'number')
    return fieldMessage('out_of_range', `Must be within ±${maxNumber}: a larger number loses digits, so send a string.`)
  if (typeof value !== 'string') return fieldMessage('wrong_type', 'Must be a string, a number, true or false.')
  if (!value.isWellFormed() || value.includes('\0'))
    return fieldMessage('invalid_character', 'Must not contain NUL or unpaired surrogates.')
  if (codePoints(value) > limits.textLength)
    return fieldMessage('too_long', `Must have at most ${limits.textLength} characters.`)
  return undefined
}

/** Attributes in a response. */
const givenAttributes = (description: string) =>
  v.pipe(v.custom<Attributes>(isObject), v.metadata({ description, ...form }))

/** Body of set attributes: replaces all that the contact has. */
export const attributesUpdateSchema = object({ attributes: attributesSchema })

/** A contact's attributes. */
export const contactAttributesSchema = object({
  attributes: givenAttributes('What your server has set; `{}` if nothing.'),
})

/** What was known of the visitor when a message was sent. Only the organization sees it. */
export const messageContextSchema = object({
  claimed: givenAttributes('What the page has said. Anyone can forge it: authorize nothing by it.'),
  verified: givenAttributes('The attributes of the contact at that time, which only your server can set.'),
})
export type MessageContext = v.InferOutput<typeof messageContextSchema>
