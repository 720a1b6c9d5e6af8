import * as v from 'valibot'
import { type ContactUpsertEntry, contactUpsertEntrySchema } from '../contract/contacts.ts'
import type { ContactToken } from '../contract/index.ts'
import type { NatterClient } from './client.ts'
import { isApiError, isSdkError } from './errors.ts'

/** Who is signed in: a contact by id, or by email. With an email, the other fields are first written to the contact. */
export type Identity = { id: string; email?: never } | (ContactUpsertEntry & { id?: never })

export interface TokenHandlerOptions {
  client: NatterClient
  /**
   * Returns who is signed in on your site, according to the session of the request; `null` for nobody.
   *
   * The visitor gets that contact's conversation, including its history. So your site **must have verified the email**,
   * by a link sent to it or by a login provider that has: otherwise a visitor could type in another person's email and
   * read their conversation. For the same reason use nothing of the request but the session.
   */
  identify(request: Request): Identity | null | Promise<Identity | null>
  /** Called with errors, which the browser does not get. Default: `console.error`. */
  onError?(error: unknown): void
}

/**
 * Creates a request handler, `(Request) => Promise<Response>`, that gives a signed-in visitor of your site a contact
 * token
 * for `Natter.auth.contacts.login({ token })`. Mount it in any server.
 *
 * It accepts only POST from pages of the same origin. It responds with 200 `{ data: { token, createdAt, expiresAt } }`,
 * 401 if nobody is signed in, 403 and 405 for other requests, 500 if `identify` throws, 502 if the platform rejects the
 * request, and 503 if the platform is unreachable or overloaded. It never rejects. Your site must have verified the
 * email that `identify` returns.
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
  return async request => {
    if (request.method !== 'POST') return refuse(405, 'method_not_allowed', 'Only POST is taken', { allow: 'POST' })
    if (!isSameOrigin(request)) return refuse(403, 'origin_not_allowed', 'Only pages of this site may ask')
    try {
      const identity = await identify(request)
      if (!identity) return refuse(401, 'unauthorized', 'Nobody is signed in')
      const data = await createToken(client, identity)
      return Response.json({ data }, { headers: { 'cache-control': 'no-store' } })
    } catch (error) {
      onError(error)
      if (!isSdkError(error)) return refuse(500, 'internal', 'Something went wrong')
      const mayPass = !isApiError(error) || error.status === 429 || error.status === 503
      if (!mayPass) return refuse(502, 'platform_refused', 'Chat is not available')
      const retryAfterMs = (isApiError(error) && error.retryAfterMs) || 5000
      const retryAfter = String(Math.ceil(retryAfterMs / 1000))
      return refuse(503, 'unavailable', 'Chat is not available right now', { 'retry-after': retryAfter })
    }
  }
}

/** Browsers send one of these headers with every POST, and pages cannot forge them. */
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  // Compare only hosts: behind a TLS proxy the request's scheme is http.
  return new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}

async function createToken({ contacts, contactTokens }: NatterClient, identity: Identity): Promise<ContactToken> {
  const { id } = identity
  if (id !== undefined && identity.email !== undefined) {
    throw new TypeError("tokenHandler: identify must give the contact's id or an email, not both")
  }
  if (id !== undefined) return contactTokens.create({ id })
  // Pick only the contact's fields: the identity may be a whole user record of the site.
  const entry = v.parse(contactUpsertEntrySchema, identity)
  const isEmailAlone = Object.values(entry).filter(value => value !== undefined).length === 1
  if (!isEmailAlone) await contacts.upsert([entry])
  return contactTokens.create({ email: entry.email })
}

function refuse(status: number, code: string, title: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { title, status, code },
    { status, headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers } },
  )
}
