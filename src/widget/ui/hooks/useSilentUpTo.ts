import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ConversationModel } from '../../conversation/conversation.ts'

/**
 * Returns the `seq` of the last message that existed when the chat was opened. Screen readers don't announce messages up to
 * there, even if scrolling mounts them later. It is Infinity until the newest page is loaded.
 */
export function useSilentUpTo({ messages, history }: ConversationModel['messageStore']): ReadonlySignal<number> {
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
