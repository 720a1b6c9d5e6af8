import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { MessageStore } from '../../models/conversation/conversation.ts'

/**
 * Messages up to this seq were there when the conversation was opened: they are not read aloud, however often the visitor
 * scrolls to them. Until the newest page is known it is Infinity.
 */
export function useSilentUpTo({ messages, history }: MessageStore): ReadonlySignal<number> {
  const silentUpTo = useSignal(Infinity)
  useLayoutEffect(
    () =>
      effect(() => {
        const isLoaded = history.value === 'more' || history.value === 'complete'
        if (isLoaded && silentUpTo.peek() === Infinity) silentUpTo.value = messages.peek().at(-1)?.seq ?? 0
      }),
    [],
  )
  return silentUpTo
}
