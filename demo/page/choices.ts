import { addressWith, type ChoiceName, chosen, networks, states, switches } from './switches.ts'

/**
 * Fills the panel's choices: each value is a link to the page as it is with that value, so that a choice can be kept,
 * sent and gone back to. After the page has loaded for one, its link has the focus again.
 */
export function drawChoices(root: HTMLElement, search: string, onTab: (tab: Element | null) => void): void {
  const now = chosen(search)
  for (const [name, labels] of Object.entries({ ...switches, state: states })) {
    const place = root.querySelector(`[data-choice="${name}"]`)
    const [preset] = name === 'state' ? [] : Object.keys(labels)
    for (const [value, label] of Object.entries(labels)) {
      const link = document.createElement('a')
      link.href = addressWith(search, name as ChoiceName, value)
      link.textContent = label
      if (value === (now[name as ChoiceName] ?? preset)) link.setAttribute('aria-current', 'true')
      const item = document.createElement('li')
      item.append(link)
      place?.append(item)
    }
  }

  const last = /^#(\w+)$/.exec(location.hash)?.[1]
  const link = root.querySelector<HTMLElement>(`[data-choice="${last}"] [aria-current]`)
  const panel = link?.closest('[role="tabpanel"]')
  if (!link || !panel) return
  onTab(root.querySelector(`[aria-controls="${panel.id}"]`))
  link.focus({ preventScroll: true })
}

/** The one choice that needs no other page: the network's. Gives the function that sets it from elsewhere. */
export function drawNetwork(select: HTMLSelectElement, onChange: (name: keyof typeof networks) => void) {
  for (const [value, label] of Object.entries(networks)) select.add(new Option(label, value))
  const set = (name: keyof typeof networks) => {
    select.value = name
    onChange(name)
  }
  select.addEventListener('change', () => set(select.value as keyof typeof networks))
  return set
}
