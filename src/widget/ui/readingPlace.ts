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
  let height = log.scrollHeight
  let first = log.querySelector('.row')
  const look = () => {
    const { scrollHeight, clientHeight } = log
    const row = log.querySelector('.row')
    // Older ones have come above it.
    if (row !== first) log.scrollTop += scrollHeight - height
    // Only a scroll upwards leaves the end: text that grew since the last frame also makes a distance.
    atEnd.value = scrollHeight - log.scrollTop - clientHeight < nearPx || (atEnd.peek() && log.scrollTop >= top)
    top = log.scrollTop
    height = scrollHeight
    first = row
    if (top < nearPx * 2 && history.peek() === 'more') void loadOlder()
  }
  const follow = () => {
    if (atEnd.value) log.scrollTop = log.scrollHeight
  }
  const unread = log.querySelector<HTMLElement>('.new')
  if (unread) {
    atEnd.value = false
    log.scrollTop = unread.offsetTop - nearPx / 3
  }
  // Its callback runs between layout and painting: nothing is ever seen in the wrong place.
  const observer = new ResizeObserver(() => {
    follow()
    look()
  })
  for (const each of [log, ...log.children]) observer.observe(each)
  // It goes with the element.
  log.addEventListener('scroll', look)
  return [() => observer.disconnect(), effect(follow)]
}
