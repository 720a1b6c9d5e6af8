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
      'Session tokens that identify a contact in the widget. Create one when a person signs in to your site, pass it to the page, and revoke it when they sign out.',
      'A contact token may be exposed to the browser of the person whom it identifies. The organization token must never be exposed.',
    ].join('\n\n'),
    endpoints: contactTokenDocumentation,
  },
  {
    name: 'Conversations',
    description:
      'The conversations of a bot, for the organization’s server: read them, write as an agent, take over from the bot and hand back.',
    endpoints: conversationDocumentation,
  },
  {
    name: 'Widget',
    description: [
      'The endpoints that the widget calls from a visitor’s browser. The bearer is a contact token or the token of an anonymous session.',
      'Responses have CORS headers for the bot’s allowed origins; any other origin is refused. OPTIONS gets 204 before authentication, or 429 if its address sends too many requests without a token. A preflight allows every request header that it lists in `Access-Control-Request-Headers` (at most 1 KiB). Credentials are allowed for origins that the bot lists by name, never for those that match `*` or `:*`. Cookies are never read.',
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
