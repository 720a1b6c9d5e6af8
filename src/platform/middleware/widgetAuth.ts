import { isId } from '../domain/ids.ts'
import { notFound, problem } from '../domain/problem.ts'
import { invalidToken, type Sessions } from '../domain/sessions.ts'
import type { OrganizationStore } from '../store/store.ts'
import { bearerOf } from './bearer.ts'
import type { RateLimits } from './rateLimit.ts'
import type { Middleware } from './requestContext.ts'

/**
 * Admits tokens of an open session with the bot (Spec 5.2). Who the visitor is follows from the token's session only.
 */
export const widgetAuth =
  ({ sessions, limits }: { sessions: Sessions; limits: RateLimits }): Middleware =>
  async context => {
    const token = bearerOf(context.request.headers)
    if (await sessions.organizationOf(token)) throw problem('insufficient_scope')
    const { bot } = context
    if (!bot) throw invalidToken('unauthorized')
    const session = await sessions.require(bot.id, token)
    const waiting = limits.session(context, session.hash)
    if (waiting) await waiting
    context.session = session
  }

/** Rejects requests for unknown bots, on endpoints without a token. */
export const requireBot: Middleware = ({ bot }) => {
  if (!bot) throw notFound()
}

/** Finds the bot and never rejects: CORS needs the bot before authentication runs. */
export const findBot =
  (store: OrganizationStore): Middleware =>
  async context => {
    const { botId = '' } = context.parameters
    if (isId(botId)) context.bot = await store.findBot(botId)
  }
