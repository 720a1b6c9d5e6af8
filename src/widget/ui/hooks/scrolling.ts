import { effect, type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { ConversationModel } from '../../conversation/conversation.ts'

/** This close to the end counts as being there. Twice as close to either end mounts more rows. */
const nearPx = 48

/**
 * Controls the scroll position. Once the newest messages are loaded, it is at the first unread one, else at the end. At the
 * end, the transcript follows new messages. Elsewhere, the message at the top of the view keeps its place, whatever changes above or below it. Near the
 * first or last mounted row more rows are mounted, and near the very first one older messages are loaded.
 */
export function useScrollAnchor(
  ref: RefObject<HTMLElement | null>,
  isAtEnd: Signal<boolean>,
  messageWindow: MessageWindow,
  { history, loadOlder }: Pick<ConversationModel['messageStore'], 'history' | 'loadOlder'>,
  isLoaded: ReadonlySignal<boolean>,
): void {
  const onRowsChange = useRef(() => {})

  useLayoutEffect(() => {
    const log = ref.current as HTMLElement
    let top = 0
    let anchor: HTMLElement | undefined
    let anchorTop = 0

    /** Scrolls as far as the anchor has moved, then chooses a new anchor. */
    const keepAnchorInPlace = () => {
      const moved = anchor?.isConnected && anchor.offsetTop - anchorTop
      if (moved && !isAtEnd.peek()) log.scrollTop += moved
      top = log.scrollTop
      // Use the content instead of the row, because the space at the top of a row depends on the row before.
      anchor = [...log.querySelectorAll<HTMLElement>('.bubble, .files')].find(
        ({ offsetTop, offsetHeight }) => offsetTop + offsetHeight > top,
      )
      anchorTop = anchor?.offsetTop ?? 0
    }
    const onScroll = () => {
      const before = top
      keepAnchorInPlace()
      const below = log.scrollHeight - top - log.clientHeight
      // Only scrolling up leaves the end: text that has grown since the last frame creates a distance, too.
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
      // The first time, wait for the ResizeObserver: the browser has not laid out the rows yet.
      if (!anchor) return
      follow()
      onScroll()
    }

    // The callback runs between layout and paint, so nothing is ever visible in the wrong place.
    const observer = new ResizeObserver(() => {
      follow()
      onScroll()
    })
    for (const element of [log, ...log.children]) observer.observe(element)
    // Needs no cleanup: the listener is garbage-collected with the element.
    log.addEventListener('scroll', onScroll)
    const stopFollowing = effect(() => {
      if (isAtEnd.value && anchor) follow()
    })
    return () => {
      observer.disconnect()
      stopFollowing()
    }
  }, [])

  // The ResizeObserver is not enough: if the new rows have the same height as the old ones, nothing is resized.
  useLayoutEffect(() => onRowsChange.current(), [messageWindow.from.value, messageWindow.to.value])

  useLayoutEffect(() => {
    const log = ref.current as HTMLElement
    const unread = isLoaded.value && log.querySelector<HTMLElement>('.new')
    if (!unread) return
    isAtEnd.value = false
    log.scrollTop = unread.offsetTop - nearPx / 3
  }, [isLoaded.value])
}

/** The maximum number of mounted rows, and by how many the window moves when the visitor comes near one of its ends. */
const maxRows = 120
const step = 40

type MessageWindow = ReturnType<typeof useMessageWindow>

/**
 * Returns which part of a long list is mounted: the rows from the index `from` up to `to`. It follows the end of the list
 * until the visitor scrolls up. Its position is stored as an id, so that it stays the same when the list grows at either end.
 */
export function useMessageWindow(list: ReadonlySignal<readonly { id: string }[]>) {
  /** The id of the last mounted row. If it is undefined or not in the list, the window ends at the end of the list. */
  const lastId = useSignal<string | undefined>(undefined)
  const to = useComputed(() => list.value.findLastIndex(({ id }) => id === lastId.value) + 1 || list.value.length)
  const from = useComputed(() => Math.max(to.value - maxRows, 0))
  const isAtEnd = useComputed(() => to.value === list.value.length)
  const moveTo = (end: number) => {
    lastId.value = list.peek()[Math.max(end, maxRows) - 1]?.id
  }
  return useMemo(
    () => ({
      from,
      to,
      isAtEnd,
      moveUp: () => moveTo(to.peek() - step),
      moveDown: () => moveTo(to.peek() + step),
      moveToEnd: () => moveTo(Infinity),
    }),
    [],
  )
}
