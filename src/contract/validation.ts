import * as v from 'valibot'
import type { FieldError } from './errors.ts'

/** The codes of field errors, `errors[].code` of a problem. */
export const fieldCodes = [
  'missing',
  'wrong_type',
  'too_short',
  'too_long',
  'invalid_format',
  'invalid_character',
  'out_of_range',
  'repeated',
  'unknown',
  'email_taken',
  'unknown_file',
] as const
export type FieldCode = (typeof fieldCodes)[number]

/** The message of a Valibot check with the field's error code before its text. */
export const fieldMessage = (code: FieldCode, detail: string): string => `${code}: ${detail}`

/** A JSON object; unknown properties are ignored. Not `v.object`, which takes an array for an object. */
export function object<const Entries extends v.ObjectEntries>(entries: Entries): v.ObjectSchema<Entries, undefined> {
  const schema = v.object(entries)
  return {
    ...schema,
    '~run': (dataset, config) => schema['~run'](Array.isArray(dataset.value) ? { value: null } : dataset, config),
  }
}

/** The parameters of a query string. An unknown one is an error: without its filter, everything would be found. */
export const parameters = <const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.StrictObjectSchema<Entries, string> =>
  v.strictObject(entries, fieldMessage('unknown', `Unknown parameter. Known are ${Object.keys(entries).join(', ')}.`))

/** A whole JSON number from `minimum` to `maximum`, without coercion. */
export const wholeNumber = (description: string, minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  v.pipe(
    v.number(),
    v.check(
      value => Number.isInteger(value) && value >= minimum && value <= maximum,
      fieldMessage('out_of_range', `Must be a whole number from ${minimum} to ${maximum}.`),
    ),
    v.metadata({ description, type: 'integer', minimum, maximum }),
  )

/** The number of Unicode code points, the unit of every length limit of the API. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A text has at most so many code points. */
export const maxCodePoints = (max: number): v.CheckAction<string, string> =>
  // Each code point has at most two UTF-16 units: do not count those of a long text.
  v.check(
    text => text.length <= max * 2 && codePoints(text) <= max,
    fieldMessage('too_long', `Must have at most ${max} characters.`),
  )

/** A list has at most so many entries. */
export const maxEntries = <Entry>(max: number): v.MaxLengthAction<Entry[], number, string> =>
  v.maxLength(max, fieldMessage('too_long', `Must have at most ${max} entries.`))

/** A text is not empty. */
export const notEmpty: v.CheckAction<string, string> = v.check(
  text => text !== '',
  fieldMessage('too_short', 'Must not be empty.'),
)

/** Text without control characters. Line breaks are some, too, unless there may be several lines. */
export const plainText = (maxLength: number, lines: 'one line' | 'several lines') =>
  v.pipe(
    v.string(),
    v.trim(),
    v.check(
      text => text.isWellFormed() && !/\p{Cc}/u.test(lines === 'several lines' ? text.replaceAll('\n', '') : text),
      fieldMessage('invalid_character', 'Must not contain control characters or unpaired surrogates.'),
    ),
    maxCodePoints(maxLength),
  )

/**
 * Parses an absolute address. One with white space or control characters is `null`: the browser would remove or encode them,
 * so the address would lead elsewhere than it seems.
 */
const parseUrl = (text: string): URL | null =>
  text.isWellFormed() && !/[\s\p{Cc}]/u.test(text) && URL.canParse(text) ? new URL(text) : null

/** Whether a text is an https address. */
export const isHttpsUrl = (text: string): boolean => parseUrl(text)?.protocol === 'https:'

/** The names of the own machine in a URL. People use each of them. */
export const ownMachine: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether browsers trust an address: https, or http to their own machine, which a site in development uses. */
export function isTrustworthyUrl(text: string): boolean {
  const url = parseUrl(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine.includes(url.hostname))
}

/** Checks an input against a schema of the contract: returns the parsed value or the errors. */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
): { output: v.InferOutput<Schema> } | { errors: FieldError[] } {
  const result = v.safeParse(schema, input)
  return result.success ? { output: result.output } : { errors: toFieldErrors(result.issues) }
}

/** Converts Valibot's issues to the `errors` of a problem, at most 100, with `index` for entries of an upsert. */
export function toFieldErrors(issues: readonly v.BaseIssue<unknown>[]): FieldError[] {
  return issues.slice(0, 100).map(issue => {
    const keys = (issue.path ?? []).map(item => item.key)
    const pointer = keys.map(key => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    const index = keys[0] === 'data' && typeof keys[1] === 'number' ? keys[1] : undefined
    return { pointer, ...readMessage(issue), ...(index === undefined ? {} : { index }) }
  })
}

const typeNames: Record<string, string> = {
  Object: 'an object',
  Array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
}

function readMessage(issue: v.BaseIssue<unknown>): { code: FieldCode; detail: string } {
  const match = /^([a-z_]+): (.*)$/s.exec(issue.message)
  const code = fieldCodes.find(known => known === match?.[1])
  if (match && code) return { code, detail: match[2] ?? '' }
  if (issue.input === undefined) return { code: 'missing', detail: 'This field is required.' }
  const expected = typeNames[issue.expected ?? ''] ?? 'of another type'
  // The values of a form are texts.
  const isForm = issue.expected === 'number' && typeof issue.input === 'string'
  return { code: 'wrong_type', detail: `Must be ${expected}${isForm ? ', in a JSON body' : ''}.` }
}

/** Whether a text has a character that can be seen. One of zero-width spaces alone has none. */
export const isVisible = (text: string): boolean => /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)
