import type * as v from 'valibot'
import type { ErrorCode } from './errors.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** The time, in milliseconds after its arrival, within which a request is answered, unless its endpoint has another. */
export const defaultTimeLimitMs = 5_000
/** The same for an upsert. */
export const upsertTimeLimitMs = 30_000

/** The definition of an endpoint, for the platform, the SDK and the OpenAPI document. */
export interface Endpoint {
  method: Method
  /** Another method for the same operation (the specification shows POST beside PUT for contact tokens). */
  alias?: Method
  /** Path template with `{parameters}`. */
  path: string
  /** Which token it requires: `organization`, `widget` (a contact's or visitor's token) or `none`. */
  auth: 'organization' | 'widget' | 'none'
  summary: string
  query?: v.GenericSchema
  /** Accepts an `Idempotency-Key`. */
  idempotent?: true
  /** The time, in milliseconds after its arrival, within which a request is answered; default `defaultTimeLimitMs`. */
  timeLimitMs?: number
  /**
   * `forms`: also accepts urlencoded and multipart bodies. `maxBytes`: default 32 KiB. `entries`: the schema of each entry
   * of `data`, and how many there may be.
   */
  body?: {
    schema: v.GenericSchema
    forms: boolean
    maxBytes?: number
    entries?: { schema: v.GenericSchema; max: number }
  }
  /** The body is a file of at most so many bytes, whatever its content type. The handler reads it as it arrives. */
  upload?: { maxBytes: number }
  /** `also`: further success statuses and their meaning; 200 has the same schema, 204 and 304 have no body. */
  success: {
    status: 200 | 201 | 204
    schema?: v.GenericSchema
    stream?: true
    /** The body is a file of one of these content types. */
    file?: readonly string[]
    /** The nonce of the request is in the header `Natter-Nonce`. */
    nonce?: true
    also?: Partial<Record<200 | 204 | 304, string>>
  }
  /** Error codes in addition to those of every endpoint with this `auth`. */
  errors: readonly ErrorCode[]
}
