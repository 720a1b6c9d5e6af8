import type { Bot, BotChanges, Store } from '../store/store.ts'
import { UsageError } from './usageError.ts'

export async function findBot(store: Store, id: string): Promise<Bot> {
  const bot = await store.findBot(id)
  if (bot) return bot
  throw new UsageError(`There is no bot ${id}. "natter bot list" lists them.`)
}

/**
 * Changes settings of a bot that depend on its present ones. Calls `decide` again if another command has changed those
 * in between, since its change would be lost otherwise. Resolves to what was decided.
 */
export async function changeSettings<Decision extends { changes: BotChanges }>(
  store: Store,
  id: string,
  decide: (bot: Bot) => Decision,
): Promise<Decision> {
  for (;;) {
    const bot = await findBot(store, id)
    const { origins, responder, events, limits, texts } = bot
    const decision = decide(bot)
    if ((await store.updateBot(id, decision.changes, { origins, responder, events, limits, texts })) !== 'conflict')
      return decision
  }
}
