import {
  type ChoiceName,
  defaults,
  locales,
  networks,
  readChoices,
  states,
  switches,
  urlWithChoice,
} from './switches.ts'

const linkChoices = Object.entries({ ...switches, state: states }) as [ChoiceName, Record<string, string>][]
const selectChoices = Object.entries({ locale: locales, network: networks }) as [ChoiceName, Record<string, string>][]

export interface ChoicesOptions {
  /** Selects the tab that contains a choice. */
  onTab(tab: Element | null): void
  /** Called when a choice is applied without a page load. */
  onSelect(name: ChoiceName, value: string): void
}

/**
 * Fills the control panel's choices. Choices are stored in the page's URL, so that they can be bookmarked, shared and
 * undone with the Back button. After a page load, the focus returns to the last choice.
 */
export function renderChoices(root: HTMLElement, { onTab, onSelect }: ChoicesOptions): void {
  const findContainer = (name = 'none') => root.querySelector<HTMLElement>(`[data-choice="${name}"]`)
  const currentChoices = () => ({ ...defaults, ...readChoices(location.search) })
  const links = linkChoices.flatMap(([name, labels]) =>
    Object.entries(labels).map(([value, label]) => {
      const link = document.createElement('a')
      link.textContent = label
      const item = document.createElement('li')
      item.append(link)
      findContainer(name)?.append(item)
      return { link, name, value }
    }),
  )
  for (const [name, labels] of selectChoices) {
    const select = findContainer(name) as HTMLSelectElement
    for (const [value, label] of Object.entries(labels)) select.add(new Option(label, value))
    select.value = currentChoices()[name] ?? ''
    select.addEventListener('change', () => {
      history.replaceState(null, '', urlOf(name, select.value))
      updateLinks()
      onSelect(name, select.value)
    })
  }

  /** Each link leads to the current URL with one choice changed. */
  function updateLinks() {
    for (const { link, name, value } of links) {
      link.href = urlOf(name, value)
      link.setAttribute('aria-current', String(value === currentChoices()[name]))
    }
  }
  updateLinks()

  const container = findContainer(/^#(\w+)$/.exec(location.hash)?.[1])
  const panel = container?.closest('[role="tabpanel"]')
  if (!panel) return
  onTab(root.querySelector(`[aria-controls="${panel.id}"]`))
  const last = container?.querySelector<HTMLElement>('[aria-current="true"]') ?? container
  last?.focus()
}

/** The hash names the last choice, so that the focus can return to it after the page load. */
const urlOf = (name: ChoiceName, value: string) => `${urlWithChoice(location.search, name, value)}#${name}`
