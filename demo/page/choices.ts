import { addressWith, type ChoiceName, chosen, locales, networks, presets, states, switches } from './switches.ts'

const linked = Object.entries({ ...switches, state: states }) as [ChoiceName, Record<string, string>][]
const selected = Object.entries({ locale: locales, network: networks }) as [ChoiceName, Record<string, string>][]

export interface ChoicesOptions {
  /** Brings the tab to the front that a choice is on. */
  onTab(tab: Element | null): void
  /** Told of what is chosen at once, without another page. */
  onSelect(name: ChoiceName, value: string): void
}

/**
 * Fills the panel's choices. Whatever is chosen stands in the page's address, so that it can be kept, sent and gone back
 * to; after the page has loaded for a choice, the focus is on it again.
 */
export function drawChoices(root: HTMLElement, { onTab, onSelect }: ChoicesOptions): void {
  const placeOf = (name = 'none') => root.querySelector<HTMLElement>(`[data-choice="${name}"]`)
  const now = () => ({ ...presets, ...chosen(location.search) })
  const links = linked.flatMap(([name, labels]) =>
    Object.entries(labels).map(([value, label]) => {
      const link = document.createElement('a')
      link.textContent = label
      const item = document.createElement('li')
      item.append(link)
      placeOf(name)?.append(item)
      return { link, name, value }
    }),
  )
  for (const [name, labels] of selected) {
    const select = placeOf(name) as HTMLSelectElement
    for (const [value, label] of Object.entries(labels)) select.add(new Option(label, value))
    select.value = now()[name] ?? ''
    select.addEventListener('change', () => {
      history.replaceState(null, '', addressOf(name, select.value))
      point()
      onSelect(name, select.value)
    })
  }

  /** Each link leads to the page as it is now, with that one choice besides. */
  function point() {
    for (const { link, name, value } of links) {
      link.href = addressOf(name, value)
      link.setAttribute('aria-current', String(value === now()[name]))
    }
  }
  point()

  const place = placeOf(/^#(\w+)$/.exec(location.hash)?.[1])
  const panel = place?.closest('[role="tabpanel"]')
  if (!panel) return
  onTab(root.querySelector(`[aria-controls="${panel.id}"]`))
  const last = place?.querySelector<HTMLElement>('[aria-current="true"]') ?? place
  last?.focus()
}

/** Behind it the page finds again what was chosen last, for whoever uses a keyboard. */
const addressOf = (name: ChoiceName, value: string) => `${addressWith(location.search, name, value)}#${name}`
