import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ConversationModel } from '../state/conversation.ts'
import { useListener } from './useListener.ts'

/**
 * Marks messages as read when they are in sight. Gives the seq behind which the divider stands: where the visitor had
 * read to on opening, or when the first message arrived below what is in sight.
 */
export function useUnread(
  { unread, readSeq, pending, markRead }: ConversationModel,
  atEnd: Signal<boolean>,
): ReadonlySignal<number | undefined> {
  const readUntil = useSignal<number | undefined>(unread.peek() ? readSeq.peek() : undefined)
  const seen = () => {
    if (unread.peek() && atEnd.peek() && !document.hidden) markRead()
  }
  useSignalEffect(() => {
    if (unread.value && !atEnd.value) readUntil.value = readUntil.peek() ?? readSeq.peek()
    seen()
  })
  const count = useRef(pending.peek().length)
  useSignalEffect(() => {
    const { length } = pending.value
    if (length > count.current) {
      // Who answers has read all, and wants to see what is sent.
      readUntil.value = undefined
      atEnd.value = true
    }
    count.current = length
  })
  useListener(document, 'visibilitychange', seen)
  return readUntil
}
