// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { createIdentityStore } from '../identity/identityStore.ts'
import { createFakeClock } from '../testing/fakeClock.ts'
import { createMemoryUpdate } from '../testing/fixtures.ts'
import { createCache } from './conversationCache.ts'
import type { OutboxEntry } from './guards.ts'

const epoch = (counter: number) => `${counter}.series.random`
const entry = (id: string, ...files: string[]): OutboxEntry => ({
  id,
  text: 'Hello',
  createdAt: '2026-01-01T00:00:00.000Z',
  files: files.map(file => ({ id: file, name: `${file}.txt`, type: 'text/plain', size: 5 })),
})
const blobs = (...ids: string[]) => new Map(ids.map(id => [id, new Blob([`of ${id}`])]))

/** The cache of Ada, who has a message with two files in the outbox. */
async function setUp() {
  const records = new Map<string, unknown>()
  const cache = createCache(createMemoryUpdate(records), createFakeClock(), () => true)
  await cache.open(epoch(1), 'ada')
  await cache.put(epoch(1), () => ({ outbox: [entry('m', 'a', 'b')] }), blobs('a', 'b'))
  const files = () => [...records.keys()].filter(key => key.startsWith('file:'))
  return { cache, records, files }
}

describe('the files of the outbox', () => {
  it('are records of their own, which only their epoch reads', async () => {
    const { cache, files } = await setUp()
    expect(files()).toEqual(['file:a', 'file:b'])
    expect(await (await cache.readFile(epoch(1), 'b'))?.text()).toBe('of b')
    expect(await cache.readFile(epoch(2), 'b')).toBeUndefined()
    expect(await cache.readFile(epoch(1), 'c')).toBeUndefined()
  })

  it('go with their message, and stay when anything else changes', async () => {
    const { cache, files } = await setUp()
    await cache.put(epoch(1), () => ({ revision: 7 }))
    await cache.put(epoch(1), ({ outbox }) => ({ outbox: [...outbox, entry('n', 'c')] }), blobs('c'))
    expect(files()).toEqual(['file:a', 'file:b', 'file:c'])
    await cache.put(epoch(1), ({ outbox }) => ({ outbox: outbox.filter(({ id }) => id !== 'm') }))
    expect(files()).toEqual(['file:c'])
  })

  it('are moved by a login of the same contact', async () => {
    const { cache } = await setUp()
    await cache.transferEpoch(epoch(2), epoch(1))
    await cache.open(epoch(2), 'ada')
    expect(await (await cache.readFile(epoch(2), 'a'))?.text()).toBe('of a')
  })

  it.each([
    [1, 'grace'],
    [1, ''],
    [2, 'ada'],
  ])('are erased for another person or epoch: %i %s', async (counter, owner) => {
    const { cache, files } = await setUp()
    await cache.open(epoch(counter), owner)
    expect(files()).toEqual([])
  })

  it('are erased by a login that takes nothing over, and where nothing refers to them', async () => {
    const { cache, files, records } = await setUp()
    await cache.transferEpoch(epoch(3), epoch(2))
    expect(files()).toEqual([])
    records.set('file:lost', new Blob(['lost']))
    records.set('stored', 'unreadable')
    await cache.open(epoch(3), 'ada')
    expect(files()).toEqual([])
  })

  it('of a late writer are not stored', async () => {
    const { cache, files } = await setUp()
    await cache.open(epoch(2), 'ada')
    expect(await cache.put(epoch(1), () => ({ outbox: [entry('n', 'c')] }), blobs('c'))).toBe(false)
    expect(files()).toEqual([])
  })

  it('are refused as a whole where only texts can be stored', async () => {
    const { update } = createIdentityStore(
      'bot',
      () => 'id',
      () => localStorage,
      () => {},
    )
    const cache = createCache(update, createFakeClock(), () => true)
    await cache.open(epoch(1), 'ada')
    const write = (files?: ReadonlyMap<string, Blob>) =>
      cache.put(epoch(1), () => ({ outbox: [entry('m', 'a')] }), files)
    expect([await write(blobs('a')), await write()]).toEqual([false, true])
    expect(await cache.open(epoch(1), 'ada')).toMatchObject({ outbox: [{ files: [{ name: 'a.txt' }] }] })
    localStorage.clear()
  })
})
