import type { BodyInputOf, EndpointName, QueryOf, ResponseOf } from '../endpoints.ts'
import type { ParameterObject } from './document.ts'

/** What the document tells of an endpoint beyond its row: prose and examples. */
export interface Documentation<Name extends EndpointName> {
  /** Paragraphs; CommonMark, of which only `code` is used. */
  description: string
  /** What the success of the row's own status means. */
  success: string
  /** Example bodies by a short name, the first the commonest; where the endpoint takes one. */
  requests?: BodyInputOf<Name> extends undefined ? never : Record<string, BodyInputOf<Name>>
  /** An example of the query, as far as one is of use. */
  query?: QueryOf<Name> extends undefined ? never : Partial<QueryOf<Name>>
  /** An example of the success response's body; a stream's as text. */
  response?: ResponseOf<Name> extends undefined ? string : ResponseOf<Name>
  /** Query and headers that the row does not speak of. */
  parameters?: ParameterObject[]
}

/** The documentation of the endpoints named. */
export type Documented<Names extends EndpointName> = { [Name in Names]: Documentation<Name> }
