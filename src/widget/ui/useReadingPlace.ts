import { type Signal, useSignalEffect } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { ConversationModel } from '../state/conversation.ts'

/** How far from the end still counts as being there, and from the top as asking for more. */
const nearPx = 48

/**
 * Starts at what is unread, else at the end, and holds the reading place: at the end the transcript follows what is
 * added, elsewhere the message at the top of the view stays where it is, whatever changes above or below it. Asks for
 * older messages near the top.
 */
export function useReadingPlace(
  log: RefObject<HTMLElement | null>,
  atEnd: Signal<boolean>,
  { history, loadOlder }: ConversationModel,
): void {
  useLayoutEffect(() => {
    const box = log.current
    const lines = box?.firstElementChild
    if (!box || !lines) return
    let top = 0
    let anchor: HTMLElement | undefined
    let anchorTop = 0
    const remember = () => {
      // Only a scroll upwards leaves the end: text that grew since the last frame also makes a distance.
      atEnd.value =
        box.scrollHeight - box.scrollTop - box.clientHeight < nearPx || (atEnd.peek() && box.scrollTop >= top)
      top = box.scrollTop
      anchor = [...box.querySelectorAll<HTMLElement>('.row')].find(row => row.offsetTop + row.offsetHeight > top)
      anchorTop = anchor ? anchor.offsetTop - top : 0
      if (top < nearPx * 2 && history.peek() === 'more') void loadOlder()
    }
    const hold = () => {
      if (atEnd.peek()) box.scrollTop = box.scrollHeight
      else if (anchor?.isConnected) box.scrollTop = anchor.offsetTop - anchorTop
      remember()
    }
    const unread = box.querySelector<HTMLElement>('.new')
    if (unread) {
      atEnd.value = false
      box.scrollTop = unread.offsetTop - nearPx / 3
      remember()
    }
    // Its callback runs between layout and painting: nothing is ever seen in the wrong place.
    const observer = new ResizeObserver(hold)
    observer.observe(box)
    observer.observe(lines)
    box.addEventListener('scroll', remember, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', remember)
    }
  }, [])
  useSignalEffect(() => {
    const box = log.current
    if (atEnd.value && box) box.scrollTop = box.scrollHeight
  })
}
