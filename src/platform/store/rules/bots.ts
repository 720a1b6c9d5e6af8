import { isDeepStrictEqual } from 'node:util'
import { omitUndefined } from '../omitUndefined.ts'
import type { Bot, BotChanges } from '../records.ts'

/** The bot with the changes; `conflict` if one of its settings is not the `expected` one. */
export function changeBot(bot: Bot, changes: BotChanges, expected: BotChanges = {}): Bot | 'conflict' {
  const names = Object.keys(expected) as (keyof BotChanges)[]
  if (names.some(name => !isDeepStrictEqual(bot[name], expected[name]))) return 'conflict'
  const { id, organizationId, visitors, createdAt } = bot
  return { ...bot, ...omitUndefined(changes), id, organizationId, visitors, createdAt }
}

/** SQL for whether a responder answers the visitors of the bot `b`, and not only people. `<>` with an absent value is NULL. */
export const hasResponderSql = "b.responder ->> 'kind' IS DISTINCT FROM 'none'"
