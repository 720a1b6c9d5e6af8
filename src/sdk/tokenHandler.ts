import * as v from 'valibot'
import { type ContactUpsertEntry, contactUpsertEntrySchema } from '../contract/contacts.ts'
import type { ContactToken } from '../contract/index.ts'
import type { NatterClient } from './client.ts'
import { isApiError, isSdkError } from './errors.ts'

/** Who is signed in: a contact by id, or a person by email, whose other fields are written to the contact first. */
export type Identity = { id: string; email?: never } | (ContactUpsertEntry & { id?: never })

export interface TokenHandlerOptions {
  client: NatterClient
  /**
   * Says who is signed in on the site, by the session of the request; `null` for nobody.
   *
   * Whoever it names is who the visitor chats as, earlier conversation included. So the site **must have verified the
   * email**, by a link sent to it or by a login that has: an email that someone has merely typed in would hand them
   * another person's conversation. For the same reason it must read nothing of it from the request but the session.
   */
  identify(request: Request): Identity | null | Promise<Identity | null>
  /** Hears what went wrong, as the browser is told no details. Default: `console.error`. */
  onError?(error: unknown): void
}

/**
 * Makes a handler, a standard `(Request) => Promise<Response>`, that gives the signed-in visitor of your own site a
 * contact token for `Natter.auth.contacts.login({ token })`. Mount it in whatever server you have.
 *
 * Takes POST from pages of the same origin only. Answers 200 `{ data: { token, createdAt, expiresAt } }`, 401 when
 * nobody is signed in, 403 and 405 to what it does not take, 500 when `identify` throws, 502 when the platform refuses,
 * 503 when it can't be reached or has too much to do. It never rejects. Your site must have verified the email that
 * `identify` gives.
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

/** Browsers send one of the two with every POST, and no page can forge them. */
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  // The host alone: behind a proxy that ends TLS the request's own scheme is http.
  return new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}

async function createToken({ contacts, contactTokens }: NatterClient, identity: Identity): Promise<ContactToken> {
  const { id } = identity
  if (id !== undefined && identity.email !== undefined) {
    throw new TypeError("tokenHandler: identify must give the contact's id or an email, not both")
  }
  if (id !== undefined) return contactTokens.create({ id })
  // Takes the contact's fields along and nothing else of what may be a whole row of the site's own users.
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
