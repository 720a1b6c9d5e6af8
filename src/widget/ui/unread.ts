import { effect, type Signal } from '@preact/signals-core'
import type { ConversationModel } from '../models/conversation/conversation.ts'
import { listen } from './listen.ts'

/**
 * Marks messages as read when they are in sight. Sets the seq behind which the divider stands when the first message
 * arrives below what is in sight.
 */
export function watchUnread(
  { readState: { unread, readSeq, markRead }, outbox: { pending } }: ConversationModel,
  atEnd: Signal<boolean>,
  readUntil: Signal<number | undefined>,
): (() => void)[] {
  const seen = () => {
    if (unread.peek() && atEnd.peek() && !document.hidden) markRead()
  }
  let count = pending.peek().length
  return [
    effect(() => {
      if (unread.value && !atEnd.value) readUntil.value = readUntil.peek() ?? readSeq.peek()
      seen()
    }),
    effect(() => {
      const { length } = pending.value
      if (length > count) {
        // Who answers has read all, and wants to see what is sent.
        readUntil.value = undefined
        atEnd.value = true
      }
      count = length
    }),
    listen(document, 'visibilitychange', seen),
  ]
}
