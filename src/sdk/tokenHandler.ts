import type { Attributes } from '../contract/attributes.ts'
import {
  type Contact,
  type ContactUpsertEntry,
  emailSchema,
  midSchema,
  nameSchema,
  phoneSchema,
  widSchema,
} from '../contract/contacts.ts'
import { type TokenRequest, tokenRequestSchema } from '../contract/contactTokens.ts'
import type { FieldError } from '../contract/errors.ts'
import { validate } from '../contract/validation.ts'
import type { NatterClient } from './client.ts'
import { isApiError, isSdkError } from './errors.ts'
import { createOriginPolicy } from './originPolicy.ts'
import { isTransient } from './retry.ts'

/**
 * Who is signed in: a contact by id, or by email. With an email, the other fields are first written to the contact.
 * `attributes` replace those of the contact; see `contacts.setAttributes`. `null` and blank texts count as absent.
 */
export type Identity = (
  | { id: string; email?: null | undefined }
  | ({ id?: null | undefined; email: string | null } & Partial<Record<OptionalField, string | null | undefined>>)
) & { attributes?: Record<string, Attributes[string] | null | undefined> | null | undefined }

export interface TokenHandlerOptions {
  client: NatterClient
  /**
   * Returns who is signed in on your site, according to the session of the request; `null` for nobody.
   *
   * The visitor gets that contact's conversation, including its history. So your site **must have verified the email**,
   * by a link sent to it or by a login provider that has: otherwise a visitor could type in another person's email and
   * read their conversation. For the same reason use nothing of the request but the session.
   *
   * A name, phone, mid or wid that the platform would refuse is cleaned or left out. A new contact without a name gets the part
   * of the email before the `@`. A person whose email the platform refuses gets no token, like nobody. `onError` gets a line
   * for each.
   */
  identify(request: Request): Identity | null | Promise<Identity | null>
  /**
   * Further origins whose pages may request tokens, with credentials: `['https://www.shop.example']`. Their pages get the token
   * of the person who is signed in, so list only sites that you trust. Default: only the handler's own origin.
   */
  allowedOrigins?: readonly string[] | undefined
  /**
   * Called with errors, which the browser does not get. Default: `console.error`. May be async; the response does not wait for it.
   * If it fails itself, that goes to `console.error`.
   */
  onError?(error: unknown): void
}

/** A short time, because the widget requests another token by itself. */
const tokenSeconds = 24 * 60 * 60

/**
 * Creates a request handler, `(Request) => Promise<Response>`, that signs the chat in as the person who is signed in on your
 * site. Mount it in any server, and give the widget its address. The request's body must not have been read.
 *
 * The widget posts `{ contact, token }`: the id of the contact that it shows, or `null`, and whether it has a token of
 * that contact (`valid`, `expired`, `none`). The handler responds with 204 if that person is still signed in and the
 * token is `valid`, and otherwise with 200 `{ data: { token, createdAt, expiresAt } }`, a token for a day. 401: nobody is
 * signed in, or the platform refuses the person's email. It accepts only POST from pages of its own origin and of `allowedOrigins`, and refuses the rest with 400,
 * 403, 405 and 413. It responds with 500 if `identify` throws, 502 if the platform rejects the request, and 503 if the
 * platform is unreachable or overloaded. It never rejects. Your site must have verified the email that `identify`
 * returns.
 * @example
 * export const POST = tokenHandler({
 *   client,
 *   identify: async request => {
 *     const user = await currentUser(request)
 *     return user?.emailVerified ? { email: user.email, name: user.name } : null
 *   },
 * })
 */
export function tokenHandler(options: TokenHandlerOptions): (request: Request) => Promise<Response> {
  const { client, identify, onError = error => console.error('natter tokenHandler:', error) } = options
  const origins = createOriginPolicy(options.allowedOrigins ?? [])

  const respond = async (request: Request): Promise<Response> => {
    if (origins.isPreflight(request)) return new Response(null, { status: 204 })
    if (request.method !== 'POST') return refuse(405, 'method_not_allowed', 'Use POST', { allow: 'POST' })
    if (!origins.allows(request)) return refuse(403, 'origin_not_allowed', 'Only pages of this site may request tokens')
    const tokenRequest = await readTokenRequest(request)
    if (tokenRequest instanceof Response) return tokenRequest
    const identity = await identify(request)
    if (!identity) return refuse(401, 'unauthorized', 'Nobody is signed in')
    const id = await findContactId(client, identity, error => void report(error))
    if (id === null) return refuse(401, 'unauthorized', 'The person has no email that can be used')
    if (identity.attributes) await writeAttributes(client, id, withoutNulls(identity.attributes))
    if (tokenRequest.token === 'valid' && tokenRequest.contact === id) return new Response(null, { status: 204 })
    return Response.json({ data: await client.contactTokens.create({ id, expiresInSeconds: tokenSeconds }) })
  }

  const report = async (error: unknown): Promise<void> => {
    try {
      await onError(error)
    } catch (cause) {
      console.error('natter tokenHandler: onError has failed:', cause)
    }
  }

  return async request => {
    const response = await respond(request).catch(error => {
      void report(error)
      return refuseFor(error)
    })
    const headers = { 'cache-control': 'no-store', vary: 'Origin', ...origins.headers(request) }
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    return response
  }
}

/** The longest body. The widget's are far shorter. */
const maxBytes = 4096

/** Parses the widget's request. Returns a refusal if the body is invalid. */
async function readTokenRequest(request: Request): Promise<TokenRequest | Response> {
  if (request.bodyUsed)
    throw new TypeError("tokenHandler: the request's body has been read already; pass a request with it unread")
  const text = await readText(request)
  if (text === null) return refuse(413, 'body_too_large', `The body must have at most ${maxBytes} bytes`)
  const result = validate(tokenRequestSchema, parseJson(text))
  if ('output' in result) return result.output
  const title = 'The body must be JSON such as {"contact":null,"token":"none"}'
  return refuse(400, 'invalid_request', title, {}, { errors: result.errors })
}

/** The body as text; `null` if it is too long. */
async function readText({ body }: Request): Promise<string | null> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The id of the contact of an identity, `null` if its email can't be used. Writes the contact's fields if they differ. */
async function findContactId(
  { contacts }: NatterClient,
  identity: Identity,
  report: (error: Error) => void,
): Promise<string | null> {
  const id = present(identity.id)
  if (id !== undefined && present(identity.email) !== undefined) {
    throw new TypeError("tokenHandler: identify must give the contact's id or an email, not both")
  }
  // Another type is for the platform to refuse.
  if (id !== undefined) return id as string
  const email = validate(emailSchema, present(identity.email))
  if ('errors' in email) {
    report(new TypeError(`tokenHandler: identify must return an email that can be used. ${email.errors[0]?.detail}`))
    return null
  }
  const entry: ContactUpsertEntry = { email: email.output, ...readFields(identity, report) }
  try {
    const found = await contacts.retrieveByEmail(entry.email)
    if (found && hasFields(found, entry)) return found.id
    if (!found) entry.name ??= entry.email.slice(0, entry.email.lastIndexOf('@'))
    const [written] = await contacts.upsert([entry])
    if (!written) throw new TypeError('tokenHandler: the platform has not written the contact')
    return written.id
  } catch (error) {
    if (!isApiError(error) || !error.errors.some(isInvalidEmail)) throw error
    report(error)
    return null
  }
}

/** The platform also checks the domain of an email. */
const isInvalidEmail = ({ pointer, code }: FieldError): boolean =>
  pointer.endsWith('/email') && code === 'invalid_format'

type OptionalField = 'name' | 'phone' | 'mid' | 'wid'
const optionalFields = Object.entries({ name: nameSchema, phone: phoneSchema, mid: midSchema, wid: widSchema }) as [
  OptionalField,
  typeof nameSchema,
][]

/** Picks the contact's fields: the identity may be a whole user record of the site. Leaves out or cleans what doesn't fit. */
function readFields(identity: Identity, report: (error: Error) => void): Partial<Record<OptionalField, string>> {
  const fields: Partial<Record<OptionalField, string>> = {}
  const wrong: string[] = []
  for (const [field, schema] of optionalFields) {
    const value = present((identity as Partial<Record<OptionalField, unknown>>)[field])
    if (value === undefined) continue
    const given = validate(schema, value)
    const used = 'errors' in given && field === 'name' ? validate(schema, cleanName(value)) : given
    if ('output' in used) fields[field] = used.output
    if ('errors' in given)
      wrong.push(`${field} (${'output' in used ? 'cleaned' : 'left out'}): ${given.errors[0]?.detail}`)
  }
  if (wrong.length > 0)
    report(new TypeError(`tokenHandler: identify returned fields that do not fit. ${wrong.join(' ')}`))
  return fields
}

/** `null` and blank texts count as absent. */
function present(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() || undefined
  return value ?? undefined
}

const maxNameLength = 255

/** Removes what a name must not contain, and truncates it. */
function cleanName(name: unknown): unknown {
  if (typeof name !== 'string') return name
  const plain = name
    // Normalizing takes long if the text is.
    .slice(0, 8 * maxNameLength)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .normalize('NFC')
  return [...plain].slice(0, maxNameLength).join('')
}

const withoutNulls = (attributes: NonNullable<Identity['attributes']>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined),
  ) as Attributes

/** Whether the contact has these fields. The email is not compared: the contact was found by it, perhaps in another case. */
const hasFields = (contact: Contact, { name, phone, mid, wid }: ContactUpsertEntry): boolean =>
  Object.entries({ name, phone, mid, wid }).every(
    ([field, value]) => value === undefined || value === contact[field as keyof Contact],
  )

/** Writes the attributes if they differ. The widget sends requests often, so it does not write them each time. */
async function writeAttributes({ contacts }: NatterClient, id: string, attributes: Attributes): Promise<void> {
  const before = await contacts.retrieveAttributes(id)
  const keys = Object.keys(attributes)
  const isEqual = keys.length === Object.keys(before).length && keys.every(key => before[key] === attributes[key])
  if (!isEqual) await contacts.setAttributes(id, attributes)
}

function refuseFor(error: unknown): Response {
  if (!isSdkError(error)) return refuse(500, 'internal', 'Something went wrong')
  if (!isTransient(error)) return refuse(502, 'platform_refused', 'Chat is not available')
  const retryAfterMs = (isApiError(error) && error.retryAfterMs) || 5000
  const retryAfter = String(Math.ceil(retryAfterMs / 1000))
  return refuse(503, 'unavailable', 'Chat is not available right now', { 'retry-after': retryAfter })
}

function refuse(
  status: number,
  code: string,
  title: string,
  headers: Record<string, string> = {},
  details: object = {},
): Response {
  return Response.json(
    { title, status, code, ...details },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  )
}
