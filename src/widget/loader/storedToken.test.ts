import { afterEach, expect, it, vi } from 'vitest'
import { parseEpoch } from '../storage/epoch.ts'
import { identityKey, parseIdentity, stringifyIdentity } from '../storage/storedIdentity.ts'
import { forgetSession, readToken } from './storedToken.ts'

const options = { botId: 'bot', baseUrl: 'https://chat.example' }
const key = identityKey('bot')
const stored = () => parseIdentity(localStorage.getItem(key))

afterEach(() => {
  localStorage.clear()
  vi.useRealTimers()
})

it('a logout before the core is loaded begins a later epoch, also when the clock has been set back', () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) })
  forgetSession(options)
  const { counter } = parseEpoch(stored().epoch)
  vi.setSystemTime(Date.UTC(2020, 0, 1))
  forgetSession(options)
  expect([parseEpoch(stored().epoch).counter, stored().reason]).toEqual([counter + 1, 'logout'])
})

it('two logouts in one moment begin epochs that differ', () => {
  forgetSession(options)
  const { epoch } = stored()
  localStorage.removeItem(key)
  forgetSession(options)
  expect(stored().epoch).not.toBe(epoch)
})

it('a logout returns the token that is to be revoked, and leaves a reminder that something is to be erased', () => {
  const token = `c:${'a'.repeat(64)}`
  localStorage.setItem(key, stringifyIdentity({ epoch: '1.series.random', reason: 'login', token }))
  expect(readToken(options)).toBe(token)
  expect(forgetSession(options)).toBe(token)
  expect(readToken(options)).toBe('-')
  expect(forgetSession(options)).toBe('')
})
