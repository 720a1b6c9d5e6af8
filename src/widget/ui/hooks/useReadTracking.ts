import { effect, type ReadonlySignal, type Signal, untracked } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ConversationModel } from '../../conversation/conversation.ts'

/** Where the visitor is in the transcript. */
interface ReadTrackingView {
  /** Whether the newest messages are loaded. */
  isLoaded: ReadonlySignal<boolean>
  /** Whether the transcript is scrolled to its end, or follows it. */
  isAtEnd: Signal<boolean>
  /** Whether the lower edge of the transcript is in the visible part of the page. */
  isEndInView: ReadonlySignal<boolean>
  /** The `seq` after which the divider is shown. It is set here. */
  readUpTo: Signal<number | undefined>
}

/**
 * Marks messages as read while their end is visible. The divider is shown before the messages that are unread when they are
 * first loaded, or when they arrive below the visible part.
 *
 * It uses plain effects, which run at once: `useSignalEffect` runs in the next frame, and until then the page would get
 * `unread` events for messages that the visitor is looking at.
 */
export function useReadTracking(
  { messageStore: { messages }, readState: { unread, readSeq, markRead }, outbox, handoverRequest }: ConversationModel,
  { isLoaded, isAtEnd, isEndInView, readUpTo }: ReadTrackingView,
): void {
  useLayoutEffect(() => {
    const markVisible = () => {
      if (unread.peek() && isAtEnd.peek() && isEndInView.peek() && !document.hidden) markRead()
    }
    const countPending = () => outbox.pending.value.length + (handoverRequest.status.value === 'sending' ? 1 : 0)
    let pendingCount = untracked(countPending)
    let isFirst = true
    const stops = [
      effect(() => {
        // Subscribe to the messages as well: `unread` stays the same if it counted them before they were loaded.
        void [messages.value, isAtEnd.value, isEndInView.value]
        if (!isLoaded.value) return
        if (unread.value && (isFirst || !isAtEnd.value)) readUpTo.value = readUpTo.peek() ?? readSeq.peek()
        isFirst = false
        markVisible()
      }),
      effect(() => {
        const count = countPending()
        if (count > pendingCount) {
          // A visitor who writes or asks for a person has read everything, and wants to see what becomes of it.
          readUpTo.value = undefined
          isAtEnd.value = true
        }
        pendingCount = count
      }),
    ]
    document.addEventListener('visibilitychange', markVisible)
    return () => {
      document.removeEventListener('visibilitychange', markVisible)
      for (const stop of stops) stop()
    }
  }, [])
}
