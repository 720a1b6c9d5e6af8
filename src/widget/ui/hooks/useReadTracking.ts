import { effect, type Signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { getFromDocument } from '../../loader/documentAccess.ts'
import type { ConversationModel } from '../../models/conversation/conversation.ts'
import { listen } from '../listen.ts'

/**
 * Marks messages as read while they are visible. Sets `readUpTo`, the `seq` after which the divider is shown, when the first
 * message arrives below the visible part.
 *
 * It uses plain effects, which run at once: `useSignalEffect` runs in the next frame, and until then the page would get
 * `unread` events for messages that the visitor is looking at.
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
        // Subscribe to the messages as well: `unread` stays the same if it counted them before they were loaded.
        void messages.value
        if (unread.value && !isAtEnd.value) readUpTo.value = readUpTo.peek() ?? readSeq.peek()
        markVisible()
      }),
      effect(() => {
        const { length } = pending.value
        if (length > pendingCount) {
          // A visitor who writes has read everything, and wants to see the sent message.
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
