import { isId } from '../domain/ids.ts'
import { notFound, problem } from '../domain/problem.ts'
import { invalidToken, type Sessions } from '../domain/sessions.ts'
import type { OrganizationStore } from '../store/store.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { bearerOf } from './bearer.ts'
import type { RateLimits } from './rateLimit.ts'

/**
 * Admits tokens of an open session with the bot. Only the token's session determines who the visitor is.
 */
export const widgetAuth =
  ({ sessions, limits }: { sessions: Sessions; limits: RateLimits }): Middleware =>
  async (c, next) => {
    const token = bearerOf(c.req.raw.headers)
    if (await sessions.findOrganizationToken(token)) throw problem('insufficient_scope')
    const bot = c.get('bot')
    if (!bot) throw invalidToken('unauthorized')
    const session = await sessions.require(bot, token)
    await limits.countSessionRequest(c, session.hash)
    c.set('session', session)
    await next()
  }

/** Throws `not_found` for an unknown bot. For endpoints without a token. */
export const requireBot: Middleware = (c, next) => {
  if (!c.get('bot')) throw notFound()
  return next()
}

/** Sets the context's bot, if there is one. */
export async function setBot(c: AppContext, store: OrganizationStore): Promise<void> {
  const botId = c.req.param('botId') ?? ''
  if (isId(botId)) c.set('bot', await store.findBot(botId))
}
