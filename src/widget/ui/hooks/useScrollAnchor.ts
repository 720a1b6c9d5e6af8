import { effect, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ConversationModel } from '../../models/conversation/conversation.ts'
import type { MessageWindow } from './useMessageWindow.ts'

/** How far from the end still counts as being there; twice as far from either end asks for more rows. */
const nearPx = 48

/**
 * Starts at what is unread, else at the end, and holds the reading place: at the end the transcript follows what is
 * added, elsewhere the message at the top of the view stays where it is, whatever changes above or below it. Near the
 * first or last row that is mounted it asks for more of them, and near the very first for older messages.
 */
export function useScrollAnchor(
  ref: RefObject<HTMLElement | null>,
  isAtEnd: Signal<boolean>,
  messageWindow: MessageWindow,
  { history, loadOlder }: ConversationModel['messageStore'],
): void {
  const onRowsChange = useRef(() => {})

  useLayoutEffect(() => {
    const log = ref.current as HTMLElement
    let top = 0
    let anchor: HTMLElement | undefined
    let anchorTop = 0

    /** Scrolls as far as the anchor has moved, then chooses it anew. */
    const holdPlace = () => {
      const moved = anchor?.isConnected && anchor.offsetTop - anchorTop
      if (moved && !isAtEnd.peek()) log.scrollTop += moved
      top = log.scrollTop
      // The bubble and not its row: the row's space at the top depends on the row before.
      anchor = [...log.querySelectorAll<HTMLElement>('.bubble')].find(
        ({ offsetTop, offsetHeight }) => offsetTop + offsetHeight > top,
      )
      anchorTop = anchor?.offsetTop ?? 0
    }
    const onScroll = () => {
      const before = top
      holdPlace()
      const below = log.scrollHeight - top - log.clientHeight
      // Only scrolling up leaves the end. Text that has grown since the last frame makes a distance from it, too.
      isAtEnd.value = (messageWindow.isAtEnd.peek() && below < nearPx) || (isAtEnd.peek() && top >= before)
      const isNearTop = top < nearPx * 2
      if (!isAtEnd.peek() && (isNearTop || below < nearPx * 2)) {
        if (isNearTop) messageWindow.moveUp()
        else messageWindow.moveDown()
      }
      if (isNearTop && !messageWindow.from.peek() && history.peek() === 'more') void loadOlder()
    }
    const follow = () => {
      if (!isAtEnd.peek()) return
      messageWindow.moveToEnd()
      log.scrollTop = log.scrollHeight
    }
    onRowsChange.current = () => {
      // The first time the observer acts, once the browser has laid the rows out.
      if (!anchor) return
      follow()
      onScroll()
    }

    const unread = log.querySelector<HTMLElement>('.new')
    if (unread) {
      isAtEnd.value = false
      log.scrollTop = unread.offsetTop - nearPx / 3
    }
    // Its callback runs between layout and paint, so nothing is ever seen in the wrong place.
    const observer = new ResizeObserver(() => {
      follow()
      onScroll()
    })
    for (const element of [log, ...log.children]) observer.observe(element)
    // Never removed: it is collected with the element.
    log.addEventListener('scroll', onScroll)
    const stopFollowing = effect(() => {
      if (isAtEnd.value && anchor) follow()
    })
    return () => {
      observer.disconnect()
      stopFollowing()
    }
  }, [])

  // Other rows may be as high as those whose place they take, so that nothing is resized.
  useLayoutEffect(() => onRowsChange.current(), [messageWindow.from.value, messageWindow.to.value])
}
