import type { BodyInputOf, EndpointName, QueryOf, ResponseOf } from '../endpoints.ts'
import { contactDocumentation } from './contacts.ts'
import { contactTokenDocumentation } from './contactTokens.ts'
import { conversationDocumentation } from './conversations.ts'
import type { ParameterObject } from './document.ts'
import { widgetDocumentation } from './widget.ts'

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

/** The tags of the document, in its order. */
export const tags = [
  {
    name: 'Contacts',
    description:
      'The people who talk to a bot. An organization creates, finds, changes and deletes them from its server.',
    endpoints: contactDocumentation,
  },
  {
    name: 'Contact tokens',
    description: [
      'Session tokens that identify a contact in the widget. Ask for one when a person signs in to your site, pass it to the page, revoke it when they sign out.',
      'A contact token may be exposed to the browser of the person it identifies. The organization token never.',
    ].join('\n\n'),
    endpoints: contactTokenDocumentation,
  },
  {
    name: 'Conversations',
    description:
      'What was said, for the organization’s server: read along, write as an agent, take over from the bot and hand back.',
    endpoints: conversationDocumentation,
  },
  {
    name: 'Widget',
    description: [
      'What the widget itself calls from a visitor’s browser. Its bearer is a contact token or the token of an anonymous session.',
      'Answers carry CORS headers for the bot’s allowed origins, and OPTIONS is answered with 204 before authentication; any other origin is refused.',
    ].join('\n\n'),
    endpoints: widgetDocumentation,
  },
] as const

/** Of every endpoint; the compiler names the one that is missing. */
export const documentation: Documented<EndpointName> = {
  ...contactDocumentation,
  ...contactTokenDocumentation,
  ...conversationDocumentation,
  ...widgetDocumentation,
}

/** The tag under which an endpoint stands. */
export const tagOf = (name: string): string =>
  tags.find(({ endpoints }) => Object.hasOwn(endpoints, name))?.name ?? 'Service'
