// A handle in a page, for tests of it; whoever imports it gets its clearing up, too.
import { afterEach, beforeEach, vi } from 'vitest'
import type { Chunks } from '../loader/chunks.ts'
import { createHandle } from '../loader/createHandle.ts'
import type { WidgetHandle } from '../loader/widgetHandle.ts'
import { nextEpoch } from '../storage/epoch.ts'
import { identityKey, parseIdentity, stringifyIdentity } from '../storage/storedIdentity.ts'
import { settle as settlePromises } from './fixtures.ts'

export const token = `c:${'a'.repeat(64)}`
export const hosts = () => [...document.querySelectorAll<HTMLElement>('[data-natter]')]
export const root = () => hosts()[0]?.shadowRoot as ShadowRoot

/** Stores a token as an earlier page has, in the epoch that follows. */
export function storeToken(value: string | null = token) {
  const { epoch } = storedIdentity()
  localStorage.setItem(
    identityKey('bot'),
    stringifyIdentity({ epoch: nextEpoch(epoch), reason: 'login', token: value }),
  )
}
export const storedIdentity = () => parseIdentity(localStorage.getItem(identityKey('bot')))

export let handle: WidgetHandle
export const make = (chunks: Chunks, more = {}, onDestroy = () => {}) => {
  const given = { botId: 'bot', baseUrl: 'https://chat.example', ...more }
  handle = createHandle(given, { chunks, source: 'createWidget', onDestroy })
  return handle
}

/** All that is to happen at once has happened, the browser's turns between it included. */
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
