import type { Endpoint } from '../endpoint.ts'
import { contactEndpoints } from '../endpoints/contacts.ts'
import { contactTokenEndpoints } from '../endpoints/contactTokens.ts'
import { conversationEndpoints } from '../endpoints/conversations.ts'
import { widgetEndpoints } from '../endpoints/widget.ts'
import type { HttpMethod, OpenApi } from './document.ts'
import { headers, requestHeaders } from './headers.ts'
import { operation } from './operation.ts'
import { problemExamples, problemResponse } from './problems.ts'
import { componentSchemas } from './schemas.ts'
import { servicePaths } from './service.ts'
import { webhooks } from './webhooks.ts'

export type { OpenApi } from './document.ts'

const description = [
  'Organization endpoints take `Authorization: Bearer ORGANIZATION_TOKEN`, from a server and never from a browser. Success bodies are `{ "data": … }`; times are UTC with milliseconds.',
  'Errors are `application/problem+json` (RFC 9457) with a stable `code`. Any path may also answer 404 `not_found` where nothing is there, and 405 `method_not_allowed` with `Allow` for a method that it does not take. HEAD is answered wherever GET is.',
  'Unknown properties are ignored in requests, and clients must ignore those that they don’t know in answers.',
].join('\n\n')

/** The tags of endpoints, in the order of the document. */
const tags = [
  {
    name: 'Contacts',
    description:
      'The people who talk to a bot. An organization creates, finds, changes and deletes them from its server.',
    endpoints: contactEndpoints,
  },
  {
    name: 'Contact tokens',
    description: [
      'Session tokens that identify a contact in the widget. Create one when a person signs in to your site, pass it to the page, and revoke it when they sign out.',
      'A contact token may be exposed to the browser of the person whom it identifies. The organization token must never be exposed.',
    ].join('\n\n'),
    endpoints: contactTokenEndpoints,
  },
  {
    name: 'Conversations',
    description:
      'The conversations of a bot, for the organization’s server: read them, write as an agent, take over from the bot and hand back.',
    endpoints: conversationEndpoints,
  },
  {
    name: 'Widget',
    description: [
      'The endpoints that the widget calls from a visitor’s browser. The bearer is a contact token or the token of an anonymous session.',
      'Responses have CORS headers for the bot’s allowed origins; any other origin is refused. OPTIONS gets 204 before authentication, or 429 if its address sends too many requests without a token. A preflight allows every request header that it lists in `Access-Control-Request-Headers` (at most 1 KiB). Credentials are allowed for origins that the bot lists by name, never for those that match `*` or `:*`. Cookies are never read.',
    ].join('\n\n'),
    endpoints: widgetEndpoints,
  },
] satisfies { name: string; description: string; endpoints: Record<string, Endpoint> }[]

/** Creates the platform's OpenAPI 3.1 document from the endpoints; `version` is the package's. */
export function openapi(version: string): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const { name: tag, endpoints } of tags)
    for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
      const path = paths[row.path] ?? {}
      paths[row.path] = path
      path[row.method.toLowerCase() as HttpMethod] = operation(name, tag, row)
      if (row.alias) path[row.alias.toLowerCase() as HttpMethod] = operation(`${name}By${row.alias}`, tag, row)
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Natter',
      version,
      summary: 'Contacts, contact tokens and conversations of a chat platform.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The platform that serves this document.' }],
    tags: [
      ...tags.map(({ name, description }) => ({ name, description })),
      { name: 'Service', description: 'For those who run the platform, and for browsers that load the widget.' },
      {
        name: 'Webhooks',
        description:
          'What the platform sends to an organization’s own server: events of a bot, and questions to its `webhook` responder. Each is signed.',
      },
    ],
    paths: { ...paths, ...servicePaths() },
    webhooks: webhooks(),
    components: {
      schemas: componentSchemas(),
      responses: {
        NoSuchPath: problemResponse(['not_found']),
        MethodNotAllowed: problemResponse(['method_not_allowed']),
      },
      parameters: requestHeaders,
      headers,
      examples: problemExamples(),
      securitySchemes: {
        organization: {
          type: 'http',
          scheme: 'bearer',
          description: 'Organization token, `o_…`. Server-side only; `natter token create` makes one.',
        },
        widget: {
          type: 'http',
          scheme: 'bearer',
          description: 'Contact token `c:…`, or `v:…` of an anonymous session.',
        },
      },
    },
  }
}
