import type { LeasedTurn } from '../store/store.ts'

/** Ours: the limits of turns per minute, which bound the operator's costs. */
export const turnsPerMinute = { ofConversation: 10, ofBot: 60 }

/** What a visitor reads instead of a reply. */
export const tooManyTurns = 'That is more than I can answer at once. Please wait a minute and try again.'
export const noMoreToday = "I can't answer any more questions today. Please try again tomorrow."

/** The message for a turn that is over a limit, or `null`. */
export function limitMessage({ begun }: LeasedTurn, turnsPerDay: number | null): string | null {
  if (turnsPerDay !== null && begun.ofBotToday > turnsPerDay) return noMoreToday
  const { ofConversation, ofBot } = turnsPerMinute
  return begun.ofConversation > ofConversation || begun.ofBot > ofBot ? tooManyTurns : null
}
