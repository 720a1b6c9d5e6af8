import type * as v from 'valibot'
import type { ErrorCode } from './errors.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** One row of the table: all that the platform, the SDK and the OpenAPI document need to know of an endpoint. */
export interface Endpoint {
  method: Method
  /** Another method for the same operation (Spec 4.1 shows POST beside PUT). */
  alias?: Method
  /** Path template with `{parameters}`. */
  path: string
  /** Which bearer it takes: `organization`, `widget` (contact or visitor token) or `none`. */
  auth: 'organization' | 'widget' | 'none'
  summary: string
  query?: v.GenericSchema
  /** Takes an `Idempotency-Key`. */
  idempotent?: true
  /** `forms`: also urlencoded and multipart; `maxBytes` (32 KiB unless told) and `maxEntries` of `data` are refused beyond. */
  body?: { schema: v.GenericSchema; forms: boolean; maxBytes?: number; maxEntries?: number }
  /** `also`: further successes and what they mean, 200 with the same schema, 204 and 304 with no body. */
  success: {
    status: 200 | 201 | 204
    schema?: v.GenericSchema
    stream?: true
    also?: Partial<Record<200 | 204 | 304, string>>
  }
  /** Codes beyond those that every endpoint of its `auth` can answer with. */
  errors: readonly ErrorCode[]
}
