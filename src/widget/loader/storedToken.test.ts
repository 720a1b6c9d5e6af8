import { afterEach, expect, it, vi } from 'vitest'
import { parseEpoch } from '../storage/epoch.ts'
import { forgetSession, readToken } from './storedToken.ts'

const options = { botId: 'bot', baseUrl: 'https://chat.example' }
const epoch = () => parseEpoch(localStorage.getItem('natter:bot:epoch'))

afterEach(() => {
  localStorage.clear()
  vi.useRealTimers()
})

it('a logout before the core is loaded begins a later epoch, even if the clock was set back', () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) })
  forgetSession(options)
  const before = epoch()
  vi.setSystemTime(Date.UTC(2020, 0, 1))
  forgetSession(options)
  expect(epoch()).toMatchObject({ counter: before.counter + 1, reason: 'logout' })
})

it('two logouts at the same time begin different epochs', () => {
  forgetSession(options)
  const { id } = epoch()
  localStorage.removeItem('natter:bot:epoch')
  forgetSession(options)
  expect(epoch().id).not.toBe(id)
})

it('a logout returns the token to revoke, but not the marker that replaces it', () => {
  const token = `c:${'a'.repeat(64)}`
  localStorage.setItem('natter:bot:token', token)
  expect(forgetSession(options)).toBe(token)
  expect(readToken(options)).toBe('-')
  expect(forgetSession(options)).toBe('')
})
