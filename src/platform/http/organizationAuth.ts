import { isId } from '../domain/ids.ts'
import { notFound, problem } from '../domain/problem.ts'
import { invalidToken, type Sessions } from '../domain/sessions.ts'
import type { OrganizationStore } from '../store/store.ts'
import type { Middleware } from './appEnv.ts'
import { bearerOf } from './bearer.ts'
import type { RateLimits } from './rateLimit.ts'

/** Admits an organization's server to its own bots only. */
export const organizationAuth =
  ({ store, sessions, limits }: { store: OrganizationStore; sessions: Sessions; limits: RateLimits }): Middleware =>
  async (c, next) => {
    const { headers } = c.req.raw
    // Reject browsers, so that a leaked token is useless to a page. Node's fetch sends Sec-Fetch-Mode, so do not
    // check that.
    if (headers.has('origin') || headers.has('sec-fetch-site')) throw problem('organization_token_in_browser')
    const token = bearerOf(headers)
    const found = await sessions.findOrganizationToken(token)
    if (!found) throw (await sessions.isOpen(token)) ? problem('insufficient_scope') : invalidToken('unauthorized')
    await limits.countOrganizationRequest(c, found.hash)
    const botId = c.req.param('botId') ?? ''
    const bot = isId(botId) ? await store.findBot(botId) : null
    if (bot?.organizationId !== found.organizationId) throw notFound()
    c.set('bot', bot)
    c.set('scope', { organizationId: bot.organizationId, botId })
    await next()
  }
