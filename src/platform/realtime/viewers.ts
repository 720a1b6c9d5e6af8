import type { MemberSummary } from '../../contract/desk.ts'
import type { Viewing } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'

/** A viewer who is not repeated is forgotten: streams repeat theirs with each heartbeat. */
export const forgottenAfterMs = 40_000

type Place = NonNullable<Viewing['conversation']>
/** Who looks at a conversation. */
interface Viewers {
  conversation: Place
  members: MemberSummary[]
}

/** Who looks at which conversation, as far as this node has heard. `onChange` gets what has changed. */
export function createViewers({ elapsed }: Pick<Clock, 'elapsed'>, onChange: (viewers: Viewers) => void) {
  const byViewer = new Map<string, { viewing: Viewing; heardAt: number }>()

  const viewersOf = (conversation: Place): Viewers => {
    const members = new Map<string, MemberSummary>()
    for (const { viewing } of byViewer.values())
      if (viewing.conversation?.id === conversation.id) members.set(viewing.member.id, viewing.member)
    return { conversation, members: [...members.values()] }
  }

  const put = (viewer: string, viewing?: Viewing): void => {
    const before = byViewer.get(viewer)?.viewing.conversation
    const now = viewing?.conversation
    if (viewing && now) byViewer.set(viewer, { viewing, heardAt: elapsed() })
    else byViewer.delete(viewer)
    if (before?.id === now?.id) return
    for (const conversation of [before, now]) if (conversation) onChange(viewersOf(conversation))
  }

  return {
    hear: (viewing: Viewing): void => put(viewing.viewer, viewing),
    find: (viewer: string): Viewing | undefined => byViewer.get(viewer)?.viewing,
    /** The viewers of all conversations that have any. */
    list(): Viewers[] {
      const places = Array.from(byViewer.values(), ({ viewing }) => viewing.conversation).filter(
        place => place !== null,
      )
      return [...new Map(places.map(place => [place.id, place])).values()].map(viewersOf)
    },
    /** Forgets those who were not repeated. */
    expire(): void {
      for (const [viewer, { heardAt }] of byViewer) if (elapsed() - heardAt > forgottenAfterMs) put(viewer)
    },
  }
}
