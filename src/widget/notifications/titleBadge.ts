import type { Clock } from '../environment/clock.ts'

/** How long the page must leave its title alone before the badge is put back. */
const settleMs = 1000

/**
 * The number of unread messages in the page's title: `(2) Shop`. It is put back after the page has changed its title, once
 * that has stayed the same for a moment, because a page may change it in several steps. If the page only removes it again
 * at once, it stays away until the title or the number changes: a script that always restores the title would go on for ever.
 */
export function createTitleBadge(clock: Clock) {
  let badge = ''
  let ownTitle = document.title
  let cancelTimer = () => {}
  let putBackAt = Number.NEGATIVE_INFINITY

  const compose = () => (ownTitle ? badge + ownTitle : badge.trim())
  /** Whether the title contains the badge. A script of the page may have added something around it. */
  const hasBadge = () => !!badge && document.title.includes(compose())

  const observer = new MutationObserver(() => {
    const isRemovedAgain = document.title === ownTitle && clock.now() - putBackAt < settleMs
    if (hasBadge() || isRemovedAgain) return
    cancelTimer()
    cancelTimer = clock.setTimeout(() => {
      putBackAt = clock.now()
      setBadge(badge)
    }, settleMs)
  })
  // Observe the whole head, because the page may replace the title element.
  observer.observe(document.head, { childList: true, characterData: true, subtree: true })

  function setBadge(next: string) {
    const { title } = document
    const isShown = hasBadge()
    const before = isShown ? compose() : title
    if (!isShown) ownTitle = title
    badge = next
    const changed = title.replace(before, compose)
    // Don't set the title of a page without a title element: the browser would ignore the element that the page adds later.
    if (changed !== title && document.querySelector('head > title')) document.title = changed
  }

  return {
    /** Shows the number in the digits of `lang`, a BCP 47 tag. */
    show(count: number, lang: string): void {
      putBackAt = Number.NEGATIVE_INFINITY
      setBadge(count ? `(${count.toLocaleString(lang)}) ` : '')
    },
    end(): void {
      observer.disconnect()
      cancelTimer()
      setBadge('')
    },
  }
}
