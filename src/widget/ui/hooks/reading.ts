import { effect, type ReadonlySignal, type Signal, untracked, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ConversationModel } from '../../conversation/conversation.ts'

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

/** Returns whether an element is in the visible part of the page. Always false until `isReady`. */
export function useIsInView(ref: RefObject<HTMLElement | null>, isReady: boolean): ReadonlySignal<boolean> {
  const isInView = useSignal(false)
  useLayoutEffect(() => {
    if (!isReady) return
    const observer = new IntersectionObserver(entries => {
      isInView.value = entries.at(-1)?.isIntersecting ?? false
    })
    observer.observe(ref.current as HTMLElement)
    return () => observer.disconnect()
  }, [isReady])
  return isInView
}

/**
 * Returns whether the list has changed since the last rendering. Otherwise, rows that this rendering mounts come into view by
 * scrolling. It is a ref, because a prop that changes would render every row again.
 */
export function useHasListChanged(list: ReadonlySignal<unknown>): RefObject<boolean> {
  const renderedList = useRef<unknown>(undefined)
  const hasChanged = useRef(true)
  hasChanged.current = list.value !== renderedList.current
  useLayoutEffect(() => {
    renderedList.current = list.value
  })
  return hasChanged
}
