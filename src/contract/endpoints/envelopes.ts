import type * as v from 'valibot'
import { text } from '../formats.ts'
import { object } from '../validation.ts'

/** The body of a success response, with the result in `data`. */
export const data = <const Schema extends v.GenericSchema>(schema: Schema) => object({ data: schema })

export const nonceOfRequest = text('The nonce of the request.')

/** The same with the request's nonce, which proves that the response was made for that request. */
export const dataWithNonce = <const Schema extends v.GenericSchema>(schema: Schema) =>
  object({ data: schema, nonce: nonceOfRequest })
