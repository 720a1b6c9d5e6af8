/** Adds tab list behaviour: one tab stop, and arrow keys between the tabs. Returns `select`. */
export function createTabs(list: HTMLElement): (tab: Element | null) => void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')]
  const panelOf = (tab: HTMLElement) => document.getElementById(tab.getAttribute('aria-controls') ?? '')

  function select(chosen: Element | null): void {
    if (!chosen) return
    for (const tab of tabs) {
      const isChosen = tab === chosen
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      panelOf(tab)?.toggleAttribute('hidden', !isChosen)
    }
  }

  list.addEventListener('click', ({ target }) =>
    select(target instanceof Element ? target.closest('[role="tab"]') : null),
  )
  list.addEventListener('keydown', event => {
    const index = tabs.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tabs.length - 1 }[event.key]
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length)
    if (!tab) return
    event.preventDefault()
    tab.focus()
    select(tab)
  })
  return select
}
