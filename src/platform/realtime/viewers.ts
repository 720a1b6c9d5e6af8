import type { MemberSummary } from '../../contract/desk.ts'
import type { Viewing } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'

/** A viewer who is not repeated is forgotten: streams repeat theirs with each heartbeat. */
export const forgottenAfterMs = 40_000

type Place = NonNullable<Viewing['conversation']>
/** What somebody looks at. */
type Seen = Viewing & { conversation: Place }
/** Who looks at a conversation. */
interface Viewers {
  conversation: Place
  members: MemberSummary[]
}

/** Who looks at which conversation, as far as this node has heard. `onChange` gets what has changed. */
export function createViewers({ elapsed }: Pick<Clock, 'elapsed'>, onChange: (viewers: Viewers) => void) {
  const byViewer = new Map<string, { viewing: Seen; heardAt: number }>()

  const findSeen = (isWanted: (conversation: Place) => boolean): Seen[] =>
    Array.from(byViewer.values(), ({ viewing }) => viewing).filter(({ conversation }) => isWanted(conversation))

  const put = (viewer: string, viewing?: Viewing): void => {
    const before = byViewer.get(viewer)?.viewing.conversation
    const now = viewing?.conversation
    if (viewing && now) byViewer.set(viewer, { viewing: { ...viewing, conversation: now }, heardAt: elapsed() })
    else byViewer.delete(viewer)
    if (before?.id === now?.id) return
    for (const conversation of [before, now]) {
      if (!conversation) continue
      const seen = findSeen(({ id }) => id === conversation.id)
      onChange(toViewers(conversation, seen))
    }
  }

  return {
    hear: (viewing: Viewing): void => put(viewing.viewer, viewing),
    find: (viewer: string): Viewing | undefined => byViewer.get(viewer)?.viewing,
    /** The viewers of all conversations of these bots that have any. */
    list(botIds: string[]): Viewers[] {
      const bots = new Set(botIds)
      const seen = findSeen(({ botId }) => bots.has(botId))
      const byConversation = Map.groupBy(seen, ({ conversation }) => conversation.id)
      const places = new Map(seen.map(({ conversation }) => [conversation.id, conversation]))
      return Array.from(places, ([id, conversation]) => toViewers(conversation, byConversation.get(id) ?? []))
    },
    /** Forgets those who were not repeated. */
    expire(): void {
      for (const [viewer, { heardAt }] of byViewer) if (elapsed() - heardAt > forgottenAfterMs) put(viewer)
    },
  }
}

/** Names each member once. */
const toViewers = (conversation: Place, seen: Seen[]): Viewers => ({
  conversation,
  members: [...new Map(seen.map(({ member }) => [member.id, member])).values()],
})
