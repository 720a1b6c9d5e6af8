import { effect, type Signal } from '@preact/signals-core'
import type { ConversationModel } from '../state/conversation.ts'

/** How far from the end still counts as being there, and from the top as asking for more. */
const nearPx = 48

/**
 * Starts at what is unread, else at the end, and holds the reading place: at the end the transcript follows what is
 * added, elsewhere the message at the top of the view stays where it is, whatever changes above or below it. Asks for
 * older messages near the top.
 */
export function watchReadingPlace(
  log: Element,
  atEnd: Signal<boolean>,
  { history, loadOlder }: ConversationModel,
): (() => void)[] {
  let top = 0
  let anchor: HTMLElement | undefined
  let anchorTop = 0
  const remember = () => {
    // Only a scroll upwards leaves the end: text that grew since the last frame also makes a distance.
    atEnd.value = log.scrollHeight - log.scrollTop - log.clientHeight < nearPx || (atEnd.peek() && log.scrollTop >= top)
    top = log.scrollTop
    anchor = [...log.querySelectorAll<HTMLElement>('.row')].find(row => row.offsetTop + row.offsetHeight > top)
    anchorTop = anchor ? anchor.offsetTop - top : 0
    if (top < nearPx * 2 && history.peek() === 'more') void loadOlder()
  }
  const unread = log.querySelector<HTMLElement>('.new')
  if (unread) {
    atEnd.value = false
    log.scrollTop = unread.offsetTop - nearPx / 3
    remember()
  }
  // Its callback runs between layout and painting: nothing is ever seen in the wrong place.
  const observer = new ResizeObserver(() => {
    if (atEnd.peek()) log.scrollTop = log.scrollHeight
    else if (anchor?.isConnected) log.scrollTop = anchor.offsetTop - anchorTop
    remember()
  })
  for (const each of [log, ...log.children]) observer.observe(each)
  // It goes with the element.
  log.addEventListener('scroll', remember)
  return [
    () => observer.disconnect(),
    effect(() => {
      if (atEnd.value) log.scrollTop = log.scrollHeight
    }),
  ]
}
