import { effect, type Signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { getFromDocument } from '../../loader/documentAccess.ts'
import type { ConversationModel } from '../../models/conversation/conversation.ts'
import { listen } from '../listen.ts'

/**
 * Marks messages as read while they are in sight. Sets `readUpTo`, the seq behind which the divider stands, when the
 * first message arrives below what is in sight.
 *
 * Plain effects, which run at once: `useSignalEffect` waits for a frame, in which the page would be told of unread
 * messages that the visitor is looking at.
 */
export function useReadTracking(
  { messageStore: { messages }, readState: { unread, readSeq, markRead }, outbox: { pending } }: ConversationModel,
  isAtEnd: Signal<boolean>,
  readUpTo: Signal<number | undefined>,
): void {
  useLayoutEffect(() => {
    const markVisible = () => {
      if (unread.peek() && isAtEnd.peek() && !getFromDocument('hidden')) markRead()
    }
    let pendingCount = pending.peek().length
    const stops = [
      effect(() => {
        // Subscribe to the messages as well: `unread` may have counted those that are loaded now before.
        void messages.value
        if (unread.value && !isAtEnd.value) readUpTo.value = readUpTo.peek() ?? readSeq.peek()
        markVisible()
      }),
      effect(() => {
        const { length } = pending.value
        if (length > pendingCount) {
          // Visitors who answer have read everything, and want to see what they have sent.
          readUpTo.value = undefined
          isAtEnd.value = true
        }
        pendingCount = length
      }),
      listen(document, 'visibilitychange', markVisible),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}
