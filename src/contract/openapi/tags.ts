import type { EndpointName } from '../endpoints.ts'
import { contactDocumentation } from './contacts.ts'
import { contactTokenDocumentation } from './contactTokens.ts'
import { conversationDocumentation } from './conversations.ts'
import type { Documented } from './documentation.ts'
import { widgetDocumentation } from './widget.ts'

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
      'Answers carry CORS headers for the bot’s allowed origins, and OPTIONS is answered with 204 before authentication (429 where its address sends too many requests without a token); any other origin is refused. A preflight allows every request header that it asks for (`Access-Control-Request-Headers`, at most 1 KiB). Credentials are allowed to origins that the bot lists by name, never to those that `*` or `:*` lets in; cookies are never read.',
    ].join('\n\n'),
    endpoints: widgetDocumentation,
  },
] as const

/** The tag of every endpoint. The compiler reports a missing one. */
export const documentation: Documented<EndpointName> = {
  ...contactDocumentation,
  ...contactTokenDocumentation,
  ...conversationDocumentation,
  ...widgetDocumentation,
}

/** The tag of an endpoint. */
export const tagOf = (name: string): string =>
  tags.find(({ endpoints }) => Object.hasOwn(endpoints, name))?.name ?? 'Service'
