import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../fixtures.ts'
import { createCache } from './cache.ts'
import { forgetSession, readToken } from './early.ts'
import { createIdentityStore } from './identity.ts'

const token = `c:${'a'.repeat(64)}`
const open = (persist: string) =>
  createIdentityStore('bot', createFakeClock(), () => window[`${persist}Storage` as 'localStorage'])

describe('an identity that belongs to one tab', () => {
  it('survives a reload with `session` alone, and touches nothing that tabs share', async () => {
    for (const [persist, kept] of [
      ['session', token],
      ['memory', null],
    ] as const) {
      const store = open(persist)
      const epoch = store.raise('login')
      store.write(token)
      const cache = createCache(store.update, createFakeClock())
      await cache.open(epoch, 'ada')
      await cache.put(epoch, () => ({ draft: 'Half a' }))
      expect([store.read().token, (await cache.open(epoch, 'ada')).draft]).toEqual([token, 'Half a'])
      expect([localStorage.length, open(persist).read().token]).toEqual([0, kept])
      expect(readToken({ botId: 'bot', persist })).toBe(kept ?? '')
      sessionStorage.clear()
    }
  })

  it('is forgotten before the core is there', () => {
    open('session').write(token)
    expect(forgetSession({ botId: 'bot', persist: 'session' })).toBe(token)
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('c:')
    expect(localStorage.length).toBe(0)
    expect(forgetSession({ botId: 'bot', persist: 'memory' })).toBe('')
    sessionStorage.clear()
  })
})
