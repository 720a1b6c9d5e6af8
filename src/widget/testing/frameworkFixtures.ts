// A page in which an app of a framework shows a widget. Importing this file also registers its cleanup.
import { afterEach, vi } from 'vitest'
import { storageKey, stringifyIdentity } from '../identity/storedIdentity.ts'

export const options = { botId: 'bot', baseUrl: 'https://chat.example' }
export const widgets = () => [...document.querySelectorAll<HTMLElement>('[data-natter]')]
export const outputs = () => [...document.querySelectorAll('output')].map(output => output.textContent)
export const addMain = () => document.body.appendChild(document.createElement('main'))

/** Stores a contact's session, as an earlier page would have. */
export const storeContact = () =>
  localStorage.setItem(storageKey('bot', 'identity'), stringifyIdentity('1.random', 'login', `c:${'a'.repeat(64)}`))

/** The warnings and errors in the console. */
export function watchConsole(): unknown[] {
  const lines: unknown[] = []
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(line => lines.push(line))
  return lines
}

afterEach(() => {
  vi.restoreAllMocks()
  localStorage.clear()
  document.body.replaceChildren()
})
