import type { Clock } from '../../environment/clock.ts'

/** The number of unread messages in the page's title: `(2) Shop`. */
export interface TitleBadge {
  /** Shows the number in the digits of `lang`, a BCP 47 tag. */
  show(count: number, lang: string): void
  /** Removes the number. */
  end(): void
}

/** How long the page must leave its title alone before the badge is put back. */
const settleMs = 1000

/**
 * Creates a badge in the page's title. The page may change its title at any time, and one of its scripts, or a second widget,
 * may add a prefix of its own. If both restored their prefix at every change, they would loop for ever. So the badge is put
 * back once the title has stayed the same for a moment. If it is removed again, it stays off until the number or the title
 * changes.
 */
export function createTitleBadge(clock: Clock): TitleBadge {
  // The title is `lead + badge + ownTitle`.
  let lead = ''
  let badge = ''
  let ownTitle = document.title
  let hasPutBack = false
  let cancelTimer: (() => void) | undefined

  const observer = new MutationObserver(() => {
    observeTitle()
    cancelTimer?.()
    cancelTimer = clock.setTimeout(putBack, settleMs)
  })

  function observeTitle() {
    observer.disconnect()
    if (!badge) return
    // Observe the head as well, because the page may replace the title element.
    observer.observe(document.head, { childList: true })
    const element = findElement()
    if (element) observer.observe(element, { childList: true, characterData: true, subtree: true })
  }

  /** Reads the parts of the current title. Returns whether it contains the badge. */
  function readTitle(): boolean {
    const title = document.title
    const shown = compose(badge, ownTitle)
    const start = badge ? title.indexOf(shown) : -1
    if (start >= 0) {
      lead = title.slice(0, start)
      ownTitle += title.slice(start + shown.length)
      return true
    }
    // The page, or a second widget, has written another title behind the badge.
    if (badge && title.startsWith(badge) && title !== ownTitle) {
      lead = ''
      ownTitle = title.slice(badge.length)
      return true
    }
    if (!title.startsWith(lead)) lead = ''
    ownTitle = title.slice(lead.length)
    return false
  }

  function writeTitle() {
    const title = lead + compose(badge, ownTitle)
    // Don't set the title of a page without a title element: the browser would ignore the element that the page adds later.
    if (title !== document.title && findElement()) document.title = title
    // Begin to observe again, so that this change is not reported.
    observeTitle()
  }

  function putBack() {
    const before = ownTitle
    if (readTitle()) return
    if (ownTitle !== before) hasPutBack = false
    else if (hasPutBack) return
    else hasPutBack = true
    writeTitle()
  }

  function setBadge(text: string) {
    readTitle()
    badge = text
    hasPutBack = false
    cancelTimer?.()
    writeTitle()
  }

  return {
    show: (count, lang) => setBadge(count ? `(${count.toLocaleString(lang)}) ` : ''),
    end: () => setBadge(''),
  }
}

const findElement = () => document.querySelector('head > title')

/** Browsers trim titles, so the badge has no space after it if the title is empty. */
const compose = (badge: string, title: string) => (title ? badge + title : badge.trim())
