import fc from 'fast-check'
import { type Endpoint, type EndpointName, endpoints } from '../../../contract/index.ts'
import { nastyHeader, nastyUrlPart } from './arbitraries.ts'
import { type Body, bodyOf, existingId, fileId, mostly, newId, unsentFileIds } from './bodies.ts'

/** A placeholder in a path or an Authorization header for a current id or token, or a literal text. */
export type Part =
  | {
      of: 'ours' | 'sibling' | 'otherOrganization'
      what: 'bot' | 'contact' | 'contactToken' | 'visitorToken' | 'conversation'
    }
  | { of: 'ours' | 'otherOrganization'; what: 'organizationToken' }
  | { raw: string }

/** A request that is well-formed except for a few parts. */
export interface GeneratedRequest {
  name: EndpointName
  method: string
  /** Values of the path's parameters. */
  parameters: Record<string, Part>
  query: string
  scheme: string
  bearer: Part | null
  headers: [string, string][]
  body: Body['body']
}
const rows = Object.entries(endpoints) as [EndpointName, Endpoint][]
const ours = (what: 'contact' | 'contactToken' | 'conversation' | 'bot'): Part => ({ of: 'ours', what })
const whatOf: Record<string, 'contact' | 'contactToken' | 'conversation' | 'bot'> = {
  botId: 'bot',
  contactId: 'contact',
  contactToken: 'contactToken',
  conversationId: 'conversation',
}
/** Parameters whose values the client chooses. */
const given: Record<string, fc.Arbitrary<string>> = {
  messageId: existingId,
  attachmentId: fc.oneof(fc.constantFrom(fileId, unsentFileIds.contact, unsentFileIds.agent), newId),
}
const parametersOf = (path: string): fc.Arbitrary<Record<string, Part>> => {
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key)
  const parameter = (key: string): fc.Arbitrary<Part> => {
    const what = whatOf[key] ?? 'bot'
    const other = fc.constantFrom<Part>(
      { of: 'sibling', what },
      { of: 'otherOrganization', what },
      { raw: '00000000-0000-7000-8000-000000000000' },
    )
    const nasty = nastyUrlPart.map(raw => ({ raw: raw === '' ? 'x' : raw }))
    return mostly<Part>(
      given[key]?.map(raw => ({ raw })) ?? fc.constant(ours(what)),
      fc.oneof<fc.Arbitrary<Part>[]>(other, nasty),
      9,
    )
  }
  return fc.record(Object.fromEntries(keys.map(key => [key, parameter(key)])))
}

const pair = fc
  .tuple(
    fc.constantFrom('query', 'email', 'page', 'limit', 'before', 'after', '__proto__', 'x'),
    fc.oneof(fc.constantFrom('1', '2', '10', '100', 'ada', 'person', 'PERSON0@fuzz.example', '%25', ''), nastyUrlPart),
  )
  .map(([key, value]) => `${key}=${value}`)
const query = mostly(
  fc.constant(''),
  fc.array(mostly(pair, nastyUrlPart, 9), { maxLength: 4 }).map(pairs => `?${pairs.join('&').replaceAll('#', '')}`),
  1,
)

const extraHeader: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom('idempotency-key', 'last-event-id', 'x-forwarded-for', 'x-request-id', 'content-type', 'forwarded'),
    fc.oneof(nastyHeader, fc.constantFrom('1', '2', '"key"', '10.0.0.1, 127.0.0.1')),
  ),
  fc.tuple(
    fc.constantFrom('idempotency-key', 'idempotency-key', 'idempotency-attempt', 'last-event-id'),
    fc.constantFrom('1', '"2"', '300'),
  ),
  fc.constantFrom<[string, string][]>(
    ['origin', 'https://shop.example'],
    ['origin', 'null'],
    ['origin', 'https://evil-shop.example'],
    ['sec-fetch-site', 'cross-site'],
    ['authorization', 'Bearer x'],
    ['accept', 'text/html'],
    ['if-none-match', '*'],
    ['x-http-method-override', 'DELETE'],
    ['content-encoding', 'gzip'],
  ),
  fc.tuple(fc.constantFrom('accept-encoding', 'cookie', 'referer', 'traceparent', 'x-filler'), nastyHeader),
)

const bearerOf = (name: EndpointName, { auth }: Endpoint): fc.Arbitrary<Part | null> => {
  const ofWidget: Part = { of: 'ours', what: name === 'leaveEmail' ? 'visitorToken' : 'contactToken' }
  const usual: Part = auth === 'widget' ? ofWidget : { of: 'ours', what: 'organizationToken' }
  const others = fc.constantFrom<(Part | null)[]>(
    null,
    { of: 'ours', what: 'visitorToken' },
    { of: 'sibling', what: 'contactToken' },
    { of: 'otherOrganization', what: 'contactToken' },
    { of: 'otherOrganization', what: 'organizationToken' },
    ours('contactToken'),
    { raw: `o_${'A'.repeat(43)}` },
  )
  const nasty = nastyHeader.map(raw => ({ raw }))
  return mostly<Part | null>(
    fc.constant(auth === 'none' ? null : usual),
    fc.oneof<fc.Arbitrary<Part | null>[]>(others, nasty),
    9,
  )
}

const shotAt = (name: EndpointName, row: Endpoint): fc.Arbitrary<GeneratedRequest> => {
  const methods = row.alias ? [row.method, row.alias] : [row.method]
  return fc
    .record({
      method: mostly(
        fc.constantFrom<string>(...methods),
        fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PROPFIND'),
        30,
      ),
      parameters: parametersOf(row.path),
      query,
      scheme: mostly(fc.constant('Bearer '), fc.constantFrom('', 'bearer   ', 'Basic ', 'BEARER ', 'Bearer,'), 9),
      bearer: bearerOf(name, row),
      headers: mostly<[string, string][]>(fc.constant([]), fc.array(extraHeader, { minLength: 1, maxLength: 3 }), 2),
      content: bodyOf(name),
    })
    .map(({ content: { type, body }, headers, ...generated }) => ({
      ...generated,
      name,
      body,
      headers: [
        ...(type && !headers.some(([header]) => header === 'content-type')
          ? [['content-type', type] as [string, string]]
          : []),
        ...headers,
      ],
    }))
}

/** A request to any endpoint, all with equal probability. */
export const generatedRequests: fc.Arbitrary<GeneratedRequest> = fc.oneof(
  ...rows.map(([name, row]) => shotAt(name, row)),
)
