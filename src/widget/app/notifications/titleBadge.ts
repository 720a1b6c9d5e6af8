/** The number before the page's title, whatever the page makes of its title meanwhile. */
export interface TitleBadge {
  show(count: number): void
  /** Takes it away. */
  end(): void
}

export function createTitleBadge(): TitleBadge {
  let badge = ''
  const set = (next: string) => {
    const { title } = document
    const own = title.startsWith(badge) ? title.slice(badge.length) : title
    badge = next
    // What is as it should be is left alone: each change calls the observer again.
    if (title !== badge + own) document.title = badge + own
  }
  const observer = new MutationObserver(() => set(badge))
  observer.observe(document.head, { subtree: true, childList: true, characterData: true })
  return {
    show: count => set(count ? `(${count}) ` : ''),
    end() {
      observer.disconnect()
      set('')
    },
  }
}
