// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest'
import { randomUuid } from '../api/randomUuid.ts'
import { forgetSession, readToken } from '../loader/storedToken.ts'
import { createFakeClock } from '../testing/fakeClock.ts'
import { createCache } from './conversationCache.ts'
import { parseEpoch } from './epoch.ts'
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
      const cache = createCache(store.update, createFakeClock(), () => true)
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
    const draft = { id: 'd', revision: 1, text: 'Half a', messageId: 'm', finishedIds: [] }
    const epoch = store.beginEpoch('logout')
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

  /** Two tabs with one storage, which can be filled. */
  function shareStorage() {
    const local = new Map<string, string>()
    const storage = {
      isFull: false,
      getItem: (key: string) => local.get(key) ?? null,
      removeItem: (key: string) => local.delete(key),
      clear: () => local.clear(),
      setItem(key: string, value: string) {
        const isLonger = value.length > (local.get(key) ?? '').length
        if (storage.isFull && isLonger) throw new DOMException('Full', 'QuotaExceededError')
        local.set(key, value)
      },
    }
    const openTab = () =>
      createIdentityStore(
        'bot',
        randomUuid,
        () => storage as unknown as Storage,
        () => {},
      )
    return { storage, one: openTab(), other: openTab() }
  }

  it('forgets what storage had no room for as soon as another tab has begun an epoch', () => {
    const { storage, one, other } = shareStorage()
    storage.isFull = true
    const epoch = one.beginEpoch('login')
    one.writeToken(epoch, token)
    expect([one.read(), one.isBlocked()]).toMatchObject([{ epoch, token }, true])
    storage.isFull = false
    const next = other.beginEpoch('logout')
    expect([one.read(), one.isBlocked()]).toEqual([{ epoch: next, reason: 'logout', token: null }, false])
  })

  it('has room for every login once it has been stored, though storage is filled afterwards', () => {
    const { storage, one, other } = shareStorage()
    one.beginEpoch('logout')
    storage.isFull = true
    for (const reason of ['storage_reset', 'login', 'contact_deleted', 'login'] as const) {
      const epoch = one.beginEpoch(reason)
      one.writeToken(epoch, token)
      expect([other.read(), one.isBlocked()]).toEqual([{ epoch, reason, token }, false])
    }
  })

  it('goes on in the series that is stored, and above all that it has known', () => {
    const { storage, one, other } = shareStorage()
    for (let times = 0; times < 5; times++) one.beginEpoch('logout')
    storage.clear()
    const stored = parseEpoch(other.beginEpoch('storage_reset'))
    expect(parseEpoch(one.newEpoch())).toEqual({ counter: 6, series: stored.series })
    storage.clear()
    expect(parseEpoch(one.newEpoch()).series).toBe(stored.series)
  })

  it('keeps the draft of a page that is left before there is an epoch, for the first one alone', () => {
    const draft = { id: 'd', revision: 1, text: 'Half a', messageId: 'm', finishedIds: [] }
    const { one, other } = shareStorage()
    expect(one.keepUnsavedDraft('', draft)).toBe(true)
    expect(other.takeUnsavedDraft(other.beginEpoch('storage_reset'))).toEqual(draft)
    for (const reason of ['login', 'logout', 'expired'] as const) {
      const { storage, one, other } = shareStorage()
      one.keepUnsavedDraft('', draft)
      // The `storage_reset` that follows is that of a tab that lost sight of it.
      other.beginEpoch(reason)
      storage.removeItem('natter:bot:identity')
      expect(other.takeUnsavedDraft(other.beginEpoch('storage_reset'))).toBeUndefined()
    }
  })

  it('keeps no draft of an epoch that storage had no room for, because nobody would take it', () => {
    const draft = { id: 'd', revision: 1, text: 'Half a', messageId: 'm', finishedIds: [] }
    const { storage, one } = shareStorage()
    storage.isFull = true
    const epoch = one.beginEpoch('login')
    one.writeToken(epoch, token)
    storage.isFull = false
    expect(one.keepUnsavedDraft(epoch, draft)).toBe(false)
    expect(storage.getItem(storageKey('bot', 'unsavedDraft'))).toBeNull()
  })

  it('discards the draft of an ended epoch, and an unreadable one', () => {
    const draft = { id: 'd', revision: 1, text: 'Half a', messageId: 'm', finishedIds: [] }
    const { storage, one, other } = shareStorage()
    const draftKey = storageKey('bot', 'unsavedDraft')
    one.keepUnsavedDraft(one.beginEpoch('logout'), draft)
    const entry = `${storage.getItem(draftKey)}`
    other.discardEndedDraft()
    expect(storage.getItem(draftKey)).toBe(entry)
    other.beginEpoch('storage_reset')
    for (const late of [entry, 'Half a']) {
      // A write by a tab in another process.
      storage.setItem(draftKey, late)
      other.discardEndedDraft()
      expect(storage.getItem(draftKey)).toBeNull()
    }
  })

  it('keeps no draft while a login is under way, nor of an epoch that storage shows no longer', () => {
    const draft = { id: 'd', revision: 1, text: 'Half a', messageId: 'm', finishedIds: [] }
    const { storage, one } = shareStorage()
    const epoch = one.beginEpoch('login')
    expect(one.keepUnsavedDraft(epoch, draft)).toBe(false)
    one.writeToken(epoch, token)
    expect(one.keepUnsavedDraft(epoch, draft)).toBe(true)
    storage.clear()
    expect(one.keepUnsavedDraft(epoch, draft)).toBe(false)
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
