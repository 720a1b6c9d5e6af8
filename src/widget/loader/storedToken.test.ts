import { afterEach, expect, it, vi } from 'vitest'
import { isBefore, numberOf, parseIdentity, storageKey, stringifyIdentity } from '../identity/storedIdentity.ts'
import { forgetSession, isWorkPending, readToken } from './storedToken.ts'

const options = { botId: 'bot', baseUrl: 'https://chat.example' }
const key = storageKey('bot', 'identity')
const stored = () => parseIdentity(localStorage.getItem(key))

afterEach(() => {
  vi.restoreAllMocks()
  localStorage.clear()
  vi.useRealTimers()
})

it('a logout before the core is loaded begins a later epoch, even if the clock was set back', () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) })
  forgetSession(options)
  const { epoch } = stored()
  expect(numberOf(epoch)).toBe(Date.UTC(2030, 0, 1))
  vi.setSystemTime(Date.UTC(2020, 0, 1))
  forgetSession(options)
  expect([isBefore(epoch, stored().epoch), stored().reason]).toEqual([true, 'logout'])
})

it('two logouts at the same time begin different epochs', () => {
  forgetSession(options)
  const { epoch } = stored()
  localStorage.removeItem(key)
  forgetSession(options)
  expect(stored().epoch).not.toBe(epoch)
})

it('a logout returns the token to revoke, and notes that data must be erased', () => {
  const token = `c:${'a'.repeat(64)}`
  localStorage.setItem(key, stringifyIdentity('1.random', 'login', token))
  expect(readToken(options)).toBe(token)
  expect(forgetSession(options)).toBe(token)
  expect([readToken(options), isWorkPending(options)]).toEqual(['', true])
  expect(forgetSession(options)).toBe('')
})

it.each([
  ['does nothing', () => {}],
  [
    'throws',
    () => {
      throw new DOMException('Denied', 'QuotaExceededError')
    },
  ],
])('a logout removes the token if `setItem` %s', (_, setItem) => {
  const token = `c:${'a'.repeat(64)}`
  localStorage.setItem(key, stringifyIdentity('1.random', 'login', token))
  localStorage.setItem(storageKey('bot', 'draft'), 'text')
  const storage = new Proxy(localStorage, {
    get: (target, name) => {
      if (name === 'setItem') return setItem
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const heard = vi.fn()
  addEventListener('natter:auth', heard, { once: true })
  vi.spyOn(window, 'localStorage', 'get').mockReturnValue(storage)
  expect(forgetSession(options)).toBe(token)
  expect([isWorkPending(options), localStorage.length]).toEqual([false, 0])
  expect(heard).toHaveBeenCalledOnce()
})

it('with `memory`, a global of the page is not taken for the storage', () => {
  const token = `c:${'a'.repeat(64)}`
  localStorage.setItem(key, stringifyIdentity('1.random', 'login', token))
  vi.stubGlobal('memoryStorage', localStorage)
  const inMemory = { ...options, persist: 'memory' } as const
  expect([isWorkPending(inMemory), forgetSession(inMemory)]).toEqual([false, ''])
  vi.unstubAllGlobals()
  expect(readToken(options)).toBe(token)
})
