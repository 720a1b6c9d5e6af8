import type { BodyInputOf, EndpointName, QueryOf, ResponseOf } from '../endpoints.ts'
import type { ParameterObject } from './document.ts'

/** An endpoint's documentation: texts and examples. */
export interface Documentation<Name extends EndpointName> {
  /** Paragraphs; CommonMark, of which only `code` is used. */
  description: string
  /** The meaning of the success status. */
  success: string
  /** Example request bodies by a short name, the most common first. */
  requests?: BodyInputOf<Name> extends undefined ? never : Record<string, BodyInputOf<Name>>
  /** An example of the query. */
  query?: QueryOf<Name> extends undefined ? never : Partial<QueryOf<Name>>
  /** An example of the success response's body; for a stream, its text. */
  response?: ResponseOf<Name> extends undefined ? string : ResponseOf<Name>
  /** Query parameters and headers that the endpoint's definition does not contain. */
  parameters?: ParameterObject[]
}

/** The documentation of these endpoints. */
export type Documented<Names extends EndpointName> = { [Name in Names]: Documentation<Name> }
