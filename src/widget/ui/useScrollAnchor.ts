import { effect, type Signal } from '@preact/signals-core'
import type { ConversationModel } from '../models/conversation/conversation.ts'
import type { MessageWindow } from './useMessageWindow.ts'

/** How far from the end still counts as being there, and from the top as asking for more. */
const nearPx = 48

/**
 * Starts at what is unread, else at the end, and holds the reading place: at the end the transcript follows what is
 * added, elsewhere the message at the top of the view stays where it is, whatever changes above or below it. Near the
 * first or last row that stands in the page it asks for more of them, and near the very first for older messages.
 */
export function watchScrollAnchor(
  log: HTMLElement,
  atEnd: Signal<boolean>,
  messageWindow: MessageWindow,
  { history, loadOlder }: ConversationModel['messageStore'],
): (() => void)[] {
  let top = 0
  let held: HTMLElement | undefined
  let heldTop = 0
  const hold = () => {
    const moved = held?.isConnected && held.offsetTop - heldTop
    if (moved && !atEnd.peek()) log.scrollTop += moved
    top = log.scrollTop
    // Not its row: the space above it changes with the row before.
    held = [...log.querySelectorAll<HTMLElement>('.bubble')].find(each => each.offsetTop + each.offsetHeight > top)
    heldTop = held?.offsetTop ?? 0
  }
  const look = () => {
    const before = top
    hold()
    const below = log.scrollHeight - top - log.clientHeight
    // Only a scroll upwards leaves the end: text that grew since the last frame also makes a distance.
    atEnd.value = (messageWindow.atEnd.peek() && below < nearPx) || (atEnd.peek() && top >= before)
    const nearTop = top < nearPx * 2
    if (!atEnd.peek() && (nearTop || below < nearPx * 2)) {
      const focused = log.matches(':focus-within')
      messageWindow.move(nearTop ? -1 : 1)
      hold()
      // What had the focus may be gone, and the keys that scroll go where the focus is.
      if (focused && !log.matches(':focus-within')) log.focus({ preventScroll: true })
    }
    if (nearTop && !messageWindow.from.peek() && history.peek() === 'more') void loadOlder()
  }
  const follow = () => {
    if (!atEnd.peek()) return
    messageWindow.move(Infinity)
    log.scrollTop = log.scrollHeight
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
  return [
    () => observer.disconnect(),
    effect(() => {
      // At first the observer does, when the browser has laid it out.
      if (atEnd.value && held) follow()
    }),
    effect(() => {
      // Other rows may be as high as those they stand for; once they are drawn.
      if (messageWindow.from.value + 1 && held) queueMicrotask(look)
    }),
  ]
}
