import { isId } from '../domain/ids.ts'
import { notFound, problem } from '../domain/problem.ts'
import { invalidToken, type Sessions } from '../domain/sessions.ts'
import type { Store } from '../store/store.ts'
import { bearerOf } from './bearer.ts'
import type { Middleware } from './context.ts'

/** Lets the bearer of an open session with the bot through (Spec 5.2): identity is what the token's row says, nothing else. */
export const widgetAuth =
  (sessions: Sessions): Middleware =>
  async (c, next) => {
    const token = bearerOf(c.req.raw.headers)
    if (await sessions.organizationOf(token)) throw problem('insufficient_scope')
    const bot = c.get('bot')
    if (!bot) throw invalidToken('unauthorized')
    c.set('session', await sessions.require(bot.id, token))
    await next()
  }

/** Refuses what has no token to check and no bot to serve. */
export const requireBot: Middleware = async (c, next) => {
  if (!c.get('bot')) throw notFound()
  await next()
}

/** Finds the bot, without judging: CORS needs to know it before authentication does. */
export const findBot =
  (store: Store): Middleware =>
  async (c, next) => {
    const botId = c.req.param('botId') ?? ''
    const bot = isId(botId) ? await store.findBot(botId) : null
    if (bot) c.set('bot', bot)
    await next()
  }
