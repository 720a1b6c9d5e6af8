import type { BotLimits, LeasedTurn, RecentTurns } from '../store/store.ts'

/** Limits of a responder's answers, which bound the operator's costs. A bot can have limits of its own. */
export interface TurnLimits {
  /** Answers per minute of a bot. */
  turnsPerMinute: number
  /** Answers per minute in one conversation. */
  conversationTurnsPerMinute: number
}

export const defaultTurnLimits: TurnLimits = { turnsPerMinute: 60, conversationTurnsPerMinute: 10 }

/**
 * The part of a bot's answers that all anonymous visitors can get, so that some are left for contacts; and the part that
 * the anonymous visitors of one address can get, because one person can be many of them.
 */
const [anonymousPart, sourcePart] = [2 / 3, 1 / 3]

/** Which of the bot's texts replaces the reply to a turn that is over a limit, or `null`. */
export function limitMessage(
  { recentTurns, contact }: LeasedTurn,
  ofBot: BotLimits,
  ofNode: TurnLimits,
): 'tooMany' | 'noMoreToday' | null {
  const { turnsPerDay, turnsPerMinute, conversationTurnsPerMinute } = { ...ofNode, ...ofBot }
  if (turnsPerDay !== undefined && recentTurns.ofBotToday > turnsPerDay) return 'noMoreToday'
  const exceedsShare = contact ? isBeyondShareOfContact : isBeyondShareOfVisitor
  const isRefused =
    recentTurns.ofConversation > conversationTurnsPerMinute ||
    recentTurns.ofBot > turnsPerMinute ||
    exceedsShare(recentTurns, turnsPerMinute)
  return isRefused ? 'tooMany' : null
}

/** Contacts share all that anonymous visitors have not used. */
const isBeyondShareOfContact = (recentTurns: RecentTurns, limit: number): boolean => {
  const { ofConversation, ofBot, ofAnonymous, conversationsOfBot, conversationsOfAnonymous } = recentTurns
  const conversations = conversationsOfBot - conversationsOfAnonymous
  return isBeyondShare(limit - ofAnonymous, { turns: ofBot - ofAnonymous, ofConversation, conversations })
}

const isBeyondShareOfVisitor = (recentTurns: RecentTurns, limit: number): boolean => {
  const { ofConversation, ofAnonymous, ofSource, conversationsOfAnonymous, conversationsOfSource } = recentTurns
  const part = (size: number): number => Math.max(1, Math.floor(limit * size))
  const ofAll = { turns: ofAnonymous, ofConversation, conversations: conversationsOfAnonymous }
  const ofSameSource = { turns: ofSource, ofConversation, conversations: conversationsOfSource }
  return isBeyondShare(part(anonymousPart), ofAll) || isBeyondShare(part(sourcePart), ofSameSource)
}

/**
 * Whether a turn exceeds the conversation's share of a limit. Once half of the limit is used, no conversation gets more
 * than an equal share, so that conversations that begin later are answered, too.
 */
function isBeyondShare(
  limit: number,
  { turns, ofConversation, conversations }: { turns: number; ofConversation: number; conversations: number },
): boolean {
  const equalShare = Math.max(1, Math.floor(limit / conversations))
  return turns > limit || (turns > limit / 2 && ofConversation > equalShare)
}
