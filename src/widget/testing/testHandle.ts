// A handle in a page. Importing this file also registers its cleanup.
import { afterEach, beforeEach, vi } from 'vitest'
import { parseIdentity, storageKey, stringifyIdentity } from '../identity/storedIdentity.ts'
import type { Chunks } from '../loader/chunks.ts'
import { createHandle } from '../loader/createHandle.ts'
import type { WidgetHandle } from '../loader/widgetHandle.ts'
import { settle as settlePromises } from './fakeClock.ts'
import { laterEpoch } from './laterEpoch.ts'

export const token = `c:${'a'.repeat(64)}`
export const hosts = () => [...document.querySelectorAll<HTMLElement>('[data-natter]')]
export const root = () => hosts()[0]?.shadowRoot as ShadowRoot

/** Stores a token as an earlier page would have, in a new epoch. */
export function storeToken(value: string | null = token) {
  const { epoch } = storedIdentity()
  localStorage.setItem(storageKey('bot', 'identity'), stringifyIdentity(laterEpoch(epoch, 'login'), 'login', value))
}
export const storedIdentity = () => parseIdentity(localStorage.getItem(storageKey('bot', 'identity')))

export let handle: WidgetHandle
export const make = (chunks: Chunks, more = {}, onDestroy = () => {}) => {
  const given = { botId: 'bot', baseUrl: 'https://chat.example', ...more }
  handle = createHandle(given, { chunks, onDestroy })
  return handle
}

/** Waits until all pending microtasks and zero-delay timers have run. */
export async function settle() {
  await settlePromises()
  vi.advanceTimersByTime(0)
  await settlePromises()
}

beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
})
afterEach(() => {
  handle.destroy()
  vi.useRealTimers()
})
