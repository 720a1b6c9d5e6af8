// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest'
import { randomUuid } from '../api/randomUuid.ts'
import { forgetSession, isWorkPending, readToken } from '../loader/storedToken.ts'
import { createRecords } from '../store/records.ts'
import { createTabEntries, type TabEntries, updateEntries } from '../store/tabEntries.ts'
import { createFakeClock } from '../testing/fakeClock.ts'
import { laterEpoch } from '../testing/laterEpoch.ts'
import { createIdentityStore } from './identityStore.ts'
import { numberOf, storageKey, storeEpoch } from './storedIdentity.ts'

const token = `c:${'a'.repeat(64)}`
const clock = createFakeClock()
const entriesOf = (persist: string) =>
  createTabEntries(() => window[`${persist}Storage` as 'localStorage'], storageKey('bot', 'identity'))
const create = (entries: TabEntries) =>
  createIdentityStore({ botId: 'bot', clock, createId: randomUuid, entries, notifySameWindow() {} })
const open = (persist: string) => create(entriesOf(persist))

describe('an identity that belongs to one tab', () => {
  it('survives a reload with `session` alone, and touches nothing that tabs share', async () => {
    for (const [persist, kept] of [
      ['session', token],
      ['memory', null],
    ] as const) {
      const entries = entriesOf(persist)
      const store = create(entries)
      const { epoch } = store.beginEpoch('login')
      store.writeToken(epoch, token)
      const records = createRecords({
        update: updateEntries('bot', entries),
        clock,
        identity: store,
        onOvertaken() {},
      })
      const scope = { epoch, owner: 'ada' }
      await records.takeOver(scope)
      await records.putOutbox(scope, () => [{ id: 'm', text: 'Hello', createdAt: '' }])
      store.writeDraft(epoch, { owner: 'ada', text: 'Half a' })
      expect([store.read().token, (await records.takeOver(scope))?.outbox.length]).toEqual([token, 1])
      expect([localStorage.length, open(persist).read().token]).toEqual([0, kept])
      expect([store.readDraft().text, open(persist).readDraft().text]).toEqual(['Half a', kept ? 'Half a' : ''])
      const stored = { botId: 'bot', persist }
      expect([readToken(stored), isWorkPending(stored)]).toEqual([kept ?? '', !!kept])
      store.beginEpoch('logout')
      expect(store.readDraft().text).toBe('')
      sessionStorage.clear()
    }
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
    const openTab = () => create(createTabEntries(() => storage as unknown as Storage, storageKey('bot', 'identity')))
    return { storage, one: openTab(), other: openTab() }
  }

  it('forgets what storage had no room for as soon as another tab has begun an epoch', () => {
    const { storage, one, other } = shareStorage()
    storage.isFull = true
    const { epoch } = one.beginEpoch('login')
    one.writeToken(epoch, token)
    expect([one.read(), one.isBlocked()]).toMatchObject([{ epoch, token }, true])
    storage.isFull = false
    const next = other.beginEpoch('logout').epoch
    expect([one.read(), one.isBlocked()]).toEqual([{ epoch: next, reason: 'logout', token: null }, false])
  })

  it('has room for every login once it has been stored, though storage is filled afterwards', () => {
    const { storage, one, other } = shareStorage()
    one.beginEpoch('logout')
    storage.isFull = true
    for (const reason of ['storage_reset', 'login', 'contact_deleted', 'login'] as const) {
      const { epoch } = one.beginEpoch(reason)
      one.writeToken(epoch, token)
      expect([other.read(), one.isBlocked()]).toEqual([{ epoch, reason, token }, false])
    }
  })

  it('begins each epoch after all that the tab has known, though storage was emptied and the clock set back or ahead', () => {
    const { storage, one, other } = shareStorage()
    const today = clock.now()
    const year = 365 * 86_400_000
    const now = vi.spyOn(clock, 'now')
    const begun = [today, today, today - year, today + 50 * year, today, today + 1].map((time, at) => {
      now.mockReturnValue(time)
      if (at % 2) storage.clear()
      return one.beginEpoch('logout').epoch
    })
    expect(begun.map(numberOf)).toEqual([0, 2, 4, ...[0, 2, 4].map(more => 50 * year + more)].map(more => today + more))
    expect(other.read().epoch).toBe(begun.at(-1))
    const known = `${today + 90 * year}.1random`
    expect(numberOf(other.newEpoch('logout', known))).toBe(today + 90 * year + 2)
    now.mockRestore()
  })

  it('keeps the draft of its own epoch alone, and none while a login is under way', () => {
    const { storage, one, other } = shareStorage()
    const draft = { owner: '', text: 'Half a' }
    expect(one.writeDraft('', draft)).toBe(false)
    const { epoch } = one.beginEpoch('logout')
    expect([one.writeDraft(epoch, draft), other.readDraft()]).toEqual([true, { epoch, ...draft }])
    const login = other.beginEpoch('login').epoch
    expect([one.writeDraft(epoch, draft), one.writeDraft(login, draft), one.readDraft().text]).toEqual([
      false,
      false,
      '',
    ])
    one.writeToken(login, token)
    expect(one.writeDraft(login, { owner: 'ada', text: 'Half a' })).toBe(true)
    one.writeDraft(login, { owner: 'ada', text: '' })
    expect(storage.getItem(storageKey('bot', 'draft'))).toBeNull()
    one.writeDraft(login, draft)
    // The loader's, before the core is there.
    storeEpoch(() => storage as unknown as Storage, 'bot', laterEpoch(login), 'logout')
    expect(storage.getItem(storageKey('bot', 'draft'))).toBeNull()
  })

  it('removes the draft of another epoch, and an unreadable one', () => {
    const { storage, one, other } = shareStorage()
    const draftKey = storageKey('bot', 'draft')
    one.writeDraft(one.beginEpoch('logout').epoch, { owner: '', text: 'Half a' })
    const entry = `${storage.getItem(draftKey)}`
    other.beginEpoch('storage_reset')
    for (const late of [entry, 'Half a', '7']) {
      // A write by a tab in another process.
      storage.setItem(draftKey, late)
      expect([other.readDraft().text, storage.getItem(draftKey)]).toEqual(['', null])
    }
  })

  it('keeps a draft in memory that storage has no room for, and each draft of an epoch that it had no room for', () => {
    const { storage, one, other } = shareStorage()
    const { epoch } = one.beginEpoch('logout')
    storage.isFull = true
    one.writeDraft(epoch, { owner: '', text: 'Half a' })
    expect([one.readDraft().text, other.readDraft().text]).toEqual(['Half a', ''])
    storage.removeItem('natter:bot:identity')
    const next = one.beginEpoch('logout').epoch
    storage.isFull = false
    one.writeDraft(next, { owner: '', text: 'Half a' })
    expect([one.readDraft().text, storage.getItem(storageKey('bot', 'draft'))]).toEqual(['Half a', null])
  })

  it('is kept in memory if a consent tool has replaced `setItem` by a function that does nothing', () => {
    const setItem = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {})
    const store = open('local')
    const { epoch } = store.beginEpoch('login')
    store.writeToken(epoch, token)
    expect([store.read(), store.isBlocked()]).toEqual([{ epoch, reason: 'login', token }, true])
    setItem.mockRestore()
  })

  it('leaves no token in a storage that has no room for the epoch of its logout', () => {
    const store = open('session')
    const { epoch } = store.beginEpoch('login')
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
    const { epoch } = store.beginEpoch('login')
    const next = store.beginEpoch('logout').epoch
    expect([store.writeToken(epoch, token), store.read()]).toEqual([
      false,
      { epoch: next, reason: 'logout', token: null },
    ])
    sessionStorage.clear()
  })

  it('keeps `workPending` until what is to be erased is, and until a token is stored', () => {
    const store = open('session')
    const options = { botId: 'bot', persist: 'session' } as const
    const { epoch } = store.beginEpoch('logout')
    const next = store.beginEpoch('logout').epoch
    store.clearWorkPending(epoch)
    expect([readToken(options), isWorkPending(options)]).toEqual(['', true])
    store.clearWorkPending(next)
    expect(isWorkPending(options)).toBe(false)
    store.writeToken(store.beginEpoch('login').epoch, token)
    expect(readToken(options)).toBe(token)
    store.clearWorkPending(next)
    expect(Object.keys({ ...sessionStorage })).toEqual([storageKey('bot', 'identity')])
    sessionStorage.clear()
  })

  it('is forgotten before the core is there', () => {
    const store = open('session')
    store.writeToken(store.beginEpoch('login').epoch, token)
    expect(forgetSession({ botId: 'bot', persist: 'session' })).toBe(token)
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('c:')
    expect(localStorage.length).toBe(0)
    expect(forgetSession({ botId: 'bot', persist: 'memory' })).toBe('')
    sessionStorage.clear()
  })
})
