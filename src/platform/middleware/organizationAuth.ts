import { isId } from '../domain/ids.ts'
import { notFound, problem } from '../domain/problem.ts'
import { invalidToken, type Sessions } from '../domain/sessions.ts'
import type { OrganizationStore } from '../store/store.ts'
import { bearerOf } from './bearer.ts'
import type { RateLimits } from './rateLimit.ts'
import type { Middleware } from './requestContext.ts'

/** Lets an organization's server through to its own bot, and nobody else (Spec 5.1). */
export const organizationAuth =
  ({ store, sessions, limits }: { store: OrganizationStore; sessions: Sessions; limits: RateLimits }): Middleware =>
  async context => {
    const { headers } = context.request
    // Ours: whatever the token; one that has leaked is of no use to a page. Node's fetch sends Sec-Fetch-Mode, so not that.
    if (headers.has('origin') || headers.has('sec-fetch-site')) throw problem('organization_token_in_browser')
    const token = bearerOf(headers)
    const found = await sessions.organizationOf(token)
    if (!found) throw (await sessions.isOpen(token)) ? problem('insufficient_scope') : invalidToken('unauthorized')
    const waiting = limits.organization(context, found.hash)
    if (waiting) await waiting
    const { botId = '' } = context.parameters
    const bot = isId(botId) ? await store.findBot(botId) : null
    if (bot?.organizationId !== found.organizationId) throw notFound()
    context.bot = bot
  }
