import type * as v from 'valibot'
import type { ErrorCode } from './errors.ts'
import { object } from './validation.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** What the platform needs to know of an endpoint. */
export interface Route {
  method: Method
  /** Another method for the same operation (the specification shows POST beside PUT for contact tokens). */
  alias?: Method
  /** Path template with `{parameters}`. */
  path: string
  /**
   * Which token it requires: `organization`, `widget` (a contact's or visitor's token) or `none`. On endpoints of the desk,
   * whether it requires the cookie of the `member` whose page sends the request, of such an `admin`, of anybody (`signedIn`), or
   * none (`desk`).
   */
  auth: 'organization' | 'widget' | 'none' | 'member' | 'admin' | 'signedIn' | 'desk'
  query?: v.GenericSchema
  /** Accepts an `Idempotency-Key`. */
  idempotent?: true
  /** The time, in milliseconds after its arrival, within which a request is answered; default `defaultTimeLimitMs`. */
  timeLimitMs?: number
  /**
   * `forms`: also accepts urlencoded and multipart bodies. `maxBytes`: default 32 KiB. `entries`: the schema of each entry of
   * `data`, and how many there may be.
   */
  body?: {
    schema: v.GenericSchema
    forms?: boolean
    maxBytes?: number
    entries?: { schema: v.GenericSchema; max: number }
  }
  /** The body is a file of at most so many bytes, whatever its content type. The handler reads it as it arrives. */
  upload?: { maxBytes: number }
  success: {
    status: 200 | 201 | 204
    schema?: v.GenericSchema
    /** The body is a file of one of these content types. */
    file?: readonly string[]
  }
}

/** The definition of an endpoint, for the platform, the SDK and the OpenAPI document. */
export interface Endpoint extends Route {
  auth: 'organization' | 'widget' | 'none'
  summary: string
  /** Paragraphs; CommonMark, of which only `code` is used. */
  description: string
  queryExample?: Record<string, unknown>
  /** Query parameters and headers that the handler reads itself. */
  parameters?: readonly { name: string; in: 'query' | 'header'; description: string; schema: Record<string, unknown> }[]
  /** `examples`: by a short name, the most common first. */
  body?: NonNullable<Route['body']> & { forms: boolean; examples: Record<string, unknown> }
  /** `also`: further success statuses and their meaning; 200 has the same schema, 204 and 304 have no body. */
  success: Route['success'] & {
    /** What the status means. */
    description: string
    /** An example of the body; for a stream, its text. */
    example?: unknown
    stream?: true
    /** The nonce of the request is in the header `Natter-Nonce`. */
    nonce?: true
    also?: Partial<Record<200 | 204 | 304, string>>
  }
  /** Error codes in addition to those of every endpoint with this `auth`. */
  errors?: readonly ErrorCode[]
}

/** Begins the row of an endpoint for organizations, whose path is below that of the bot. */
export const organization = (method: Method, path: string) =>
  ({ method, path: `/v1/bots/{botId}${path}`, auth: 'organization' }) as const

/** Begins the row of an endpoint of the widget. It takes the token of a session, unless the row has another `auth`. */
export const widget = (method: Method, path: string) =>
  ({ method, path: `/v1/bots/{botId}/widget${path}`, auth: 'widget' }) as const

/** Begins the row of an endpoint of the desk, which takes the cookie of a member unless the row has another `auth`. */
export const desk = <const M extends Method, const Path extends string>(method: M, path: Path) =>
  ({ method, path: `/desk/api${path}`, auth: 'member' }) as const

/** Begins the row of an endpoint of the desk for admins. */
export const admin = <const M extends Method, const Path extends string>(method: M, path: Path) =>
  ({ ...desk(method, path), auth: 'admin' }) as const

/** A body of JSON, with examples. */
export const json = <const Schema extends v.GenericSchema>(
  schema: Schema,
  examples: Record<string, v.InferInput<Schema>>,
) => ({ schema, examples, forms: false })

/** A body of JSON, or of a form with the same fields, with examples. */
export const jsonOrForm = <const Schema extends v.GenericSchema>(
  schema: Schema,
  examples: Record<string, v.InferInput<Schema>>,
) => ({ schema, examples, forms: true })

/** The body of a success response, with an example. */
export const content = <const Schema extends v.GenericSchema>(schema: Schema, example: v.InferOutput<Schema>) => ({
  schema,
  example,
})

/** The same with the result in `data`. */
export const data = <const Schema extends v.GenericSchema>(schema: Schema, example: v.InferOutput<Schema>) => ({
  schema: object({ data: schema }),
  example: { data: example },
})
