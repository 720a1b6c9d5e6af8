import { isId } from '../domain/ids.ts'
import { notFound, problem } from '../domain/problem.ts'
import type { Sessions } from '../domain/sessions.ts'
import type { Bot, OrganizationStore } from '../store/store.ts'
import type { AppContext, Guard, Middleware } from './appEnv.ts'

export interface AuthOptions {
  store: OrganizationStore
  sessions: Sessions
  /** Count a request of a valid token, by the token's hash. */
  limits: Record<'countOrganizationRequest' | 'countSessionRequest', (c: AppContext, tokenHash: string) => void>
}

/** Admits an organization's server to its own bots only. */
export const organizationAuth =
  ({ store, sessions, limits }: AuthOptions): Guard =>
  async c => {
    const { headers } = c.req.raw
    // Reject browsers, so that a leaked token is useless to a page. Node's fetch sends Sec-Fetch-Mode, so do not
    // check that.
    if (headers.has('origin') || headers.has('sec-fetch-site')) throw problem('organization_token_in_browser')
    const token = bearerOf(headers)
    const found = await sessions.findOrganizationToken(token)
    if (!found) throw (await sessions.isOpen(token)) ? problem('insufficient_scope') : problem('unauthorized')
    limits.countOrganizationRequest(c, found.hash)
    const bot = await findBot(c, store)
    if (bot?.organizationId !== found.organizationId) throw notFound()
    c.set('bot', bot)
    c.set('scope', { organizationId: bot.organizationId, botId: bot.id })
  }

/** Admits tokens of an open session with the bot. Only the token's session determines who the visitor is. */
export const widgetAuth =
  ({ sessions, limits }: Omit<AuthOptions, 'store'>): Guard =>
  async c => {
    const token = bearerOf(c.req.raw.headers)
    if (await sessions.findOrganizationToken(token)) throw problem('insufficient_scope')
    const bot = c.get('bot')
    if (!bot) throw problem('unauthorized')
    const session = await sessions.require(bot, token)
    limits.countSessionRequest(c, session.hash)
    c.set('session', session)
  }

/** Throws `not_found` for an unknown bot. For endpoints without a token. */
export const requireBot: Middleware = (c, next) => {
  if (!c.get('bot')) throw notFound()
  return next()
}

/** The bot of the request's path; `null` if there is none. */
export async function findBot(c: AppContext, store: OrganizationStore): Promise<Bot | null> {
  const botId = c.req.param('botId') ?? ''
  return isId(botId) ? store.findBot(botId) : null
}

/**
 * Reads the token of an Authorization header: `Bearer <token>`, with the scheme in any case, or the bare token, which
 * some clients send. Throws `unauthorized` if there is no token, `invalid_request` if there are several.
 */
export function bearerOf(headers: Headers): string {
  const value = headers.get('authorization')?.trim() ?? ''
  if (value === '') throw problem('unauthorized', { headers: { 'www-authenticate': 'Bearer realm="natter"' } })
  // Two headers arrive joined by a comma, which no token contains. A Digest header lists name=value pairs after its
  // commas.
  if (/,\s*(?:$|(?:bearer|basic|digest)\s|[\w.:~+/-]+=*\s*(?:,|$))/i.test(value))
    throw problem('invalid_request', { detail: 'Send one Authorization header.' })
  const [, token] = /^(?:bearer +)?(\S+)$/i.exec(value) ?? []
  if (token === undefined) throw problem('unauthorized')
  return token
}

/**
 * The token of a header that has not been checked yet, `''` without one. Not by `/\S+$/`, which takes quadratic time for a
 * long word before the last one: 16 KB of headers would stop the server for half a second.
 */
export const lastWordOf = (headers: Headers): string => headers.get('authorization')?.trim().split(/\s+/).at(-1) ?? ''
