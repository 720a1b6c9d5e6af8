import type { Context } from 'hono'
import type { DeskBots } from '../domain/deskBots.ts'
import type { Handlers } from './handler.ts'

/** The desk's endpoints for the settings of bots. */
export const deskBotHandlers = (bots: DeskBots) =>
  ({
    retrieveBotSettings: async c => ({ data: await bots.retrieve(c.get('member'), idOf(c)) }),
    updateBotSettings: async c => ({ data: await bots.update(c.get('member'), idOf(c), c.get('body')) }),
  }) satisfies Partial<Handlers>

const idOf = (c: Context): string => c.req.param('botId') ?? ''
