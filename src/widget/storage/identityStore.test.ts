import { describe, expect, it, vi } from 'vitest'
import { randomUuid } from '../api/randomUuid.ts'
import { forgetSession, readToken } from '../loader/storedToken.ts'
import { createFakeClock } from '../testing/fakeClock.ts'
import { createCache } from './conversationCache.ts'
import { createIdentityStore } from './identityStore.ts'
import { storageKey } from './storedIdentity.ts'

const token = `c:${'a'.repeat(64)}`
const open = (persist: string) =>
  createIdentityStore(
    'bot',
    randomUuid,
    () => window[`${persist}Storage` as 'localStorage'],
    () => {},
  )

describe('an identity that belongs to one tab', () => {
  it('survives a reload with `session` alone, and touches nothing that tabs share', async () => {
    for (const [persist, kept] of [
      ['session', token],
      ['memory', null],
    ] as const) {
      const store = open(persist)
      const epoch = store.beginEpoch('login')
      store.writeToken(epoch, token)
      const cache = createCache(store.update, createFakeClock())
      await cache.open(epoch, 'ada')
      await cache.putDraft(epoch, draft => ({ ...draft, text: 'Half a' }))
      expect([store.read().token, (await cache.open(epoch, 'ada')).draft.text]).toEqual([token, 'Half a'])
      expect([localStorage.length, open(persist).read().token]).toEqual([0, kept])
      expect(readToken({ botId: 'bot', persist })).toBe(kept ?? '')
      sessionStorage.clear()
    }
  })

  it('keeps a draft that the page leaves with until it is taken, once, and in its own epoch', () => {
    const store = open('session')
    const draft = { id: 'd', revision: 1, text: 'Half a', finishedIds: [] }
    const epoch = store.beginEpoch('login')
    store.keepUnsavedDraft('1.of.others', draft)
    expect(store.takeUnsavedDraft(epoch)).toBeUndefined()
    store.keepUnsavedDraft(epoch, draft)
    expect([store.takeUnsavedDraft(epoch), store.takeUnsavedDraft(epoch)]).toEqual([draft, undefined])
    store.keepUnsavedDraft(epoch, draft)
    expect([store.takeUnsavedDraft('1.of.others'), store.takeUnsavedDraft(epoch)]).toEqual([undefined, undefined])
    store.keepUnsavedDraft(epoch, draft)
    // The loader's, before the core is there.
    forgetSession({ botId: 'bot', persist: 'session' })
    expect(Object.values(sessionStorage).join()).not.toContain('Half a')
    sessionStorage.clear()
  })

  it('forgets what storage had no room for as soon as another tab has begun an epoch', () => {
    const local = new Map<string, string>()
    let room = true
    const storage = {
      getItem: (key: string) => local.get(key) ?? null,
      removeItem: (key: string) => local.delete(key),
      setItem(key: string, value: string) {
        if (!room && value.length > (local.get(key) ?? '').length) throw new DOMException('Full', 'QuotaExceededError')
        local.set(key, value)
      },
    } as unknown as Storage
    const [full, other] = [1, 2].map(() =>
      createIdentityStore(
        'bot',
        randomUuid,
        () => storage,
        () => {},
      ),
    )
    if (!full || !other) throw new Error('No store')
    full.beginEpoch('logout')
    expect(full.isBlocked()).toBe(false)
    room = false
    const epoch = full.beginEpoch('login')
    full.writeToken(epoch, token)
    expect([full.read(), full.isBlocked()]).toMatchObject([{ epoch, token }, true])
    room = true
    const next = other.beginEpoch('logout')
    expect([full.read(), full.isBlocked()]).toEqual([{ epoch: next, reason: 'logout', token: null }, false])
  })

  it('is kept in memory if a consent tool has replaced `setItem` by a function that does nothing', () => {
    const setItem = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {})
    const store = open('local')
    const epoch = store.beginEpoch('login')
    store.writeToken(epoch, token)
    expect([store.read(), store.isBlocked()]).toEqual([{ epoch, reason: 'login', token }, true])
    setItem.mockRestore()
  })

  it('leaves no token in a storage that has no room for the epoch of its logout', () => {
    const store = open('session')
    const epoch = store.beginEpoch('login')
    store.writeToken(epoch, token)
    const setItem = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('Full', 'QuotaExceededError')
    })
    store.beginEpoch('logout')
    setItem.mockRestore()
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('c:')
    sessionStorage.clear()
  })

  it('writes no token of an epoch that is over', () => {
    const store = open('session')
    const epoch = store.beginEpoch('login')
    const next = store.beginEpoch('logout')
    expect([store.writeToken(epoch, token), store.read()]).toEqual([
      false,
      { epoch: next, reason: 'logout', token: null },
    ])
    sessionStorage.clear()
  })

  it('keeps the reminder of what is to be erased until that is done, and until a token is stored', () => {
    const store = open('session')
    const reminded = () => readToken({ botId: 'bot', persist: 'session' })
    const epoch = store.beginEpoch('logout')
    const next = store.beginEpoch('logout')
    store.confirmErased(epoch)
    expect(reminded()).toBe('-')
    store.confirmErased(next)
    expect(reminded()).toBe('')
    store.writeToken(store.beginEpoch('login'), token)
    expect(reminded()).toBe(token)
    store.confirmErased(next)
    expect(Object.keys({ ...sessionStorage })).toEqual([storageKey('bot', 'identity')])
    sessionStorage.clear()
  })

  it('is forgotten before the core is there', () => {
    const store = open('session')
    store.writeToken(store.beginEpoch('login'), token)
    expect(forgetSession({ botId: 'bot', persist: 'session' })).toBe(token)
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('c:')
    expect(localStorage.length).toBe(0)
    expect(forgetSession({ botId: 'bot', persist: 'memory' })).toBe('')
    sessionStorage.clear()
  })
})
