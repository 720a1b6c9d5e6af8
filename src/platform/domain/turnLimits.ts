import type { BotLimits, LeasedTurn } from '../store/store.ts'

/** Limits of a responder's answers, which bound the operator's costs. A bot can have limits of its own. */
export interface TurnLimits {
  /** Answers per minute of a bot. */
  turnsPerMinute: number
  /** Answers per minute in one conversation. */
  conversationTurnsPerMinute: number
}

export const defaultTurnLimits: TurnLimits = { turnsPerMinute: 60, conversationTurnsPerMinute: 10 }

/** Which of the bot's texts replaces the reply to a turn that is over a limit, or `null`. */
export function limitMessage(
  { recentTurns: { ofConversation, ofBot, ofBotToday } }: LeasedTurn,
  limitsOfBot: BotLimits,
  limitsOfNode: TurnLimits,
): 'tooMany' | 'noMoreToday' | null {
  const { turnsPerDay, turnsPerMinute, conversationTurnsPerMinute } = { ...limitsOfNode, ...limitsOfBot }
  if (turnsPerDay !== undefined && ofBotToday > turnsPerDay) return 'noMoreToday'
  return ofConversation > conversationTurnsPerMinute || ofBot > turnsPerMinute ? 'tooMany' : null
}
