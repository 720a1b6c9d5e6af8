import type { Clock } from '../clock.ts'
import type { ConversationModel } from '../state/conversation.ts'
import type { PanelModel } from '../state/panel.ts'
import { playChime } from './chime.ts'
import { createTitleBadge } from './titleBadge.ts'

/** Tells of messages that nobody has seen, beside the launcher's badge. */
export interface Attention {
  /** The number of unread messages has changed: the page's title shows it, in every tab. */
  unread(): void
  /** A message has come: of all tabs, the one that acts for them sounds, unless it has been seen by then. */
  message(): void
}

export interface AttentionDoors {
  clock: Clock
  over: AbortSignal
  conversation: Pick<ConversationModel, 'unread' | 'leads'>
  panel: Pick<PanelModel, 'open'>
}

/** Time for another tab, which may show the message, to say so; what comes meanwhile sounds as one. */
const graceMs = 500

/** `play` is for tests. It all ends with `over`. */
export function createAttention(
  { clock, over, conversation, panel }: AttentionDoors,
  play: () => void = playChime,
): Attention {
  let badge: ReturnType<typeof createTitleBadge> | undefined
  let calledOff: (() => void) | undefined
  over.addEventListener('abort', () => {
    badge?.end()
    calledOff?.()
  })
  return {
    unread() {
      if (over.aborted) return
      badge ||= createTitleBadge()
      badge.show(conversation.unread.peek())
    },
    message() {
      if (over.aborted || calledOff) return
      calledOff = clock.after(graceMs, () => {
        calledOff = undefined
        const looksAt = panel.open.peek() && !document.hidden
        if (conversation.unread.peek() && conversation.leads() && !looksAt) play()
      })
    },
  }
}
