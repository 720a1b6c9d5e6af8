import * as v from 'valibot'

// What these say beyond their type is for the OpenAPI document alone: whoever reads an answer takes any string or number.

/** An id in an answer. */
export const id = (description: string): v.GenericSchema<string> =>
  v.pipe(v.string(), v.metadata({ description, format: 'uuid' }))

/** A time in an answer: ISO 8601, UTC, with milliseconds (Spec 2.1). */
export const timestamp = (description: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(),
    v.metadata({ description, format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  )

/** A text in an answer. */
export const text = (description: string): v.GenericSchema<string> => v.pipe(v.string(), v.description(description))

/** A whole number in an answer. */
export const integer = (description: string, minimum = 0): v.GenericSchema<number> =>
  v.pipe(v.number(), v.metadata({ description, type: 'integer', minimum }))
