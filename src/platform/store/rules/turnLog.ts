import type { RecentTurns } from '../turnRecords.ts'

/** The conversation's latest turn in the log. */
export interface LoggedTurn {
  number: number
  botId: string
  source: number | null
  begunAt: string
  ofDay: number
}

/** Counts of turns, as `countedTurns` selects them. */
export type TurnCounts = Record<
  | ('ofConversation' | 'ofBot' | 'ofAnonymous' | 'ofSource')
  | ('conversationsOfBot' | 'conversationsOfAnonymous' | 'conversationsOfSource'),
  number
>

/**
 * The columns that count the turns of a bot, selected from one row for each conversation with its number of `turns` and
 * its `source`. Takes the placeholders of the conversation and the source of the turn in question.
 */
export function countedTurns(conversationId: string, source: string): string {
  const counts: Record<keyof TurnCounts, string> = {
    ofConversation: `sum(turns) FILTER (WHERE conversation_id = ${conversationId})`,
    ofBot: 'sum(turns)',
    ofAnonymous: 'sum(turns) FILTER (WHERE source IS NOT NULL)',
    ofSource: `sum(turns) FILTER (WHERE source = ${source})`,
    conversationsOfBot: 'count(*)',
    conversationsOfAnonymous: 'count(source)',
    conversationsOfSource: `count(*) FILTER (WHERE source = ${source})`,
  }
  return Object.entries(counts)
    .map(([name, count]) => `cast(coalesce(${count}, 0) AS integer) AS "${name}"`)
    .join(', ')
}

export const toRecentTurns = (counted: TurnCounts, ofBotToday: number): RecentTurns => ({
  ofConversation: counted.ofConversation,
  ofBot: counted.ofBot,
  ofAnonymous: counted.ofAnonymous,
  ofSource: counted.ofSource,
  ofBotToday,
  conversations: {
    ofBot: counted.conversationsOfBot,
    ofAnonymous: counted.conversationsOfAnonymous,
    ofSource: counted.conversationsOfSource,
  },
})

/** The counts for a turn that is so old that it has been purged from the log. */
export const onlyThisTurn: RecentTurns = {
  ofConversation: 1,
  ofBot: 1,
  ofAnonymous: 1,
  ofSource: 1,
  ofBotToday: 1,
  conversations: { ofBot: 1, ofAnonymous: 1, ofSource: 1 },
}

export const minuteBefore = (time: string): string => new Date(Date.parse(time) - 60_000).toISOString()
