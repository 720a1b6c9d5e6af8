import * as v from 'valibot'

// The metadata is only for the OpenAPI document: clients accept any string or number in a response.

/** An id in a response. */
export const id = (description: string): v.GenericSchema<string> =>
  v.pipe(v.string(), v.metadata({ description, format: 'uuid' }))

/** A time in a response: ISO 8601, UTC, with milliseconds (specification: "Contact"). */
export const timestamp = (description: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(),
    v.metadata({ description, format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  )

/** A text in a response. */
export const text = (description: string): v.GenericSchema<string> => v.pipe(v.string(), v.description(description))

/** A whole number in a response. */
export const integer = (description: string, minimum = 0): v.GenericSchema<number> =>
  v.pipe(v.number(), v.metadata({ description, type: 'integer', minimum }))
