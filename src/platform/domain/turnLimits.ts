import type { LeasedTurn } from '../store/store.ts'

/** Ours: turns of a conversation and of a bot in a minute; more would cost the operator without end. */
export const turnsPerMinute = { ofConversation: 10, ofBot: 60 }

/** What a visitor reads instead of an answer. */
export const tooManyTurns = 'That is more than I can answer at once. Please wait a minute and try again.'
export const noMoreToday = "I can't answer any more questions today. Please try again tomorrow."

/** What to say to a turn that is over a limit, or `null`. */
export function limitMessage({ begun }: LeasedTurn, turnsPerDay: number | null): string | null {
  if (turnsPerDay !== null && begun.ofBotToday > turnsPerDay) return noMoreToday
  const { ofConversation, ofBot } = turnsPerMinute
  return begun.ofConversation > ofConversation || begun.ofBot > ofBot ? tooManyTurns : null
}
