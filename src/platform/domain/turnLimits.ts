import type { LeasedTurn } from '../store/store.ts'

/**
 * Ours: the limits of turns per minute, which bound the operator's costs. Anonymous visitors, of whom one person can be
 * many, must leave some to contacts.
 */
export const turnsPerMinute = { ofConversation: 10, ofBot: 60, ofAnonymous: 40 }

/** What a visitor reads instead of a reply. */
export const tooManyTurns = 'That is more than I can answer at once. Please wait a minute and try again.'
export const noMoreToday = "I can't answer any more questions today. Please try again tomorrow."

/** The message for a turn that is over a limit, or `null`. */
export function limitMessage({ begun, contact }: LeasedTurn, turnsPerDay: number | null): string | null {
  if (turnsPerDay !== null && begun.ofBotToday > turnsPerDay) return noMoreToday
  const { ofConversation, ofBot, ofAnonymous } = turnsPerMinute
  const isOver = begun.ofConversation > ofConversation || begun.ofBot > ofBot
  return isOver || (contact === null && begun.ofAnonymous > ofAnonymous) ? tooManyTurns : null
}
