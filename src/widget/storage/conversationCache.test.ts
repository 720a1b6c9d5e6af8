import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../testing/fakeClock.ts'
import { createMemoryUpdate } from '../testing/fixtures.ts'
import { createCache } from './conversationCache.ts'
import { openDatabase, type UpdateRecords } from './database.ts'
import { type CachedSession, type DraftVersion, emptyDraft } from './guards.ts'

const epoch = (counter: number) => `${counter}.series.random`

const entry = { id: 'm', text: 'Hello', createdAt: '2026-01-01T00:00:00.000Z' }

const empty = {
  draft: emptyDraft,
  outbox: [],
  ratings: [],
  transcript: [],
  revision: 0,
} satisfies Partial<CachedSession>

const withText = (text: string) => (draft: DraftVersion) => ({ ...draft, id: 'd', revision: draft.revision + 1, text })

const always = () => true

function setUp(isCurrent: (epoch: string) => boolean = always) {
  const records = new Map<string, unknown>()
  const clock = createFakeClock()
  const update = createMemoryUpdate(records)
  return {
    records,
    clock,
    update,
    cache: createCache(update, clock, always),
    other: createCache(update, clock, isCurrent),
  }
}

describe('the cache', () => {
  it('keeps what is written for its owner', async () => {
    const { cache, other } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.putDraft(epoch(1), withText('half a thought'))
    await cache.put(epoch(1), () => ({ outbox: [entry] }))
    expect(await other.open(epoch(1), 'ada')).toMatchObject({ draft: { text: 'half a thought' }, outbox: [entry] })
  })

  it('returns no epoch when the transaction is aborted, for example because the disk is full', async () => {
    const { cache, clock, records } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.putDraft(epoch(1), withText('half a thought'))
    const full: UpdateRecords = async (keys, change) => {
      change(Object.fromEntries(keys.map(key => [key, records.get(key)])), [])
      throw new DOMException('Full', 'QuotaExceededError')
    }
    expect((await createCache(full, clock, always).open(epoch(2), '')).epoch).toBe('')
    expect((await cache.open(epoch(2), '')).epoch).toBe(epoch(2))
  })

  it.each(['put', 'putDraft'] as const)('keeps what %s writes after the disk was full', async method => {
    const { records, clock, update, other } = setUp()
    let isFull = false
    const cache = createCache(
      (...args) => (isFull ? Promise.reject(new DOMException('Full', 'QuotaExceededError')) : update(...args)),
      clock,
      always,
    )
    await cache.open(epoch(1), 'grace')
    await cache.put(epoch(1), () => ({ outbox: [{ ...entry, text: 'of Grace' }] }))
    await cache.transferEpoch(epoch(2), epoch(1))
    isFull = true
    await cache.open(epoch(2), 'ada')
    isFull = false
    if (method === 'put') await cache.put(epoch(2), ({ outbox }) => ({ outbox: [...outbox, entry] }))
    else await cache.putDraft(epoch(2), withText('half a thought'))
    expect(JSON.stringify([...records])).not.toContain('of Grace')
    expect(await other.open(epoch(2), 'ada')).toMatchObject(
      method === 'put' ? { outbox: [entry] } : { draft: { text: 'half a thought' } },
    )
  })

  it('lets late writers lose', async () => {
    const { cache, other, records } = setUp()
    await cache.open(epoch(1), 'ada')
    await other.open(epoch(2), '')
    await cache.putDraft(epoch(1), withText('late'))
    await cache.transferEpoch(epoch(1), epoch(0))
    expect((await cache.open(epoch(1), 'ada')).draft.text).toBe('')
    expect(JSON.stringify([...records])).not.toMatch(/late|ada/)
  })

  it('lets a tab lose that was frozen while storage was emptied and the next person logged in', async () => {
    const { cache, other, records } = setUp(id => id === '2.next.random')
    await cache.open('2.next.random', 'grace')
    await cache.putDraft('2.next.random', withText("Grace's"))
    const before = JSON.stringify([...records])
    expect(await other.open(epoch(17), '')).toMatchObject({ ...empty, epoch: '2.next.random' })
    await other.transferEpoch(epoch(17), epoch(16))
    expect(JSON.stringify([...records])).toBe(before)
  })

  it('lets a writer lose whose transaction is only overtaken on its way', async () => {
    const { records, clock, update } = setUp()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const slow: UpdateRecords = (...request) => held.then(() => update(...request))
    const cache = createCache(update, clock, always)
    await cache.open(epoch(1), 'ada')
    const write = createCache(slow, clock, always).putDraft(epoch(1), withText('late'))
    await cache.open(epoch(2), '')
    release()
    await write
    expect(JSON.stringify([...records])).not.toContain('late')
  })

  it('takes nothing of a writer whose epoch has not been opened', async () => {
    const { cache, records } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.putDraft(epoch(2), withText('early'))
    expect(JSON.stringify([...records])).not.toContain('early')
  })

  it('says whether it has written', async () => {
    const { cache, clock, update } = setUp()
    const writes = (to: typeof cache, counter: number) =>
      Promise.all([to.put(epoch(counter), () => ({ outbox: [entry] })), to.putDraft(epoch(counter), withText('a'))])
    await cache.open(epoch(1), 'ada')
    expect(await writes(cache, 1)).toEqual([true, true])
    expect(await writes(cache, 2)).toEqual([false, false])
    // The transaction is aborted, or the page has ended the widget before it could begin.
    const full: UpdateRecords = async (...request) => {
      await update(...request)
      throw new DOMException('Full', 'QuotaExceededError')
    }
    expect(await writes(createCache(full, clock, always), 1)).toEqual([false, false])
    expect(
      await writes(
        createCache(async () => {}, clock, always),
        1,
      ),
    ).toEqual([false, false])
    await cache.open(epoch(2), '')
    expect(await writes(cache, 1)).toEqual([false, false])
  })

  it("erases what is anybody else's or of another epoch before it shows anything", async () => {
    for (const [counter, owner] of [
      [1, 'grace'],
      [1, ''],
      [2, 'ada'],
    ] as const) {
      const { cache, records } = setUp()
      await cache.open(epoch(1), 'ada')
      await cache.putDraft(epoch(1), withText('for Ada'))
      expect(await cache.open(epoch(counter), owner)).toMatchObject(empty)
      expect(JSON.stringify([...records])).not.toContain('for Ada')
    }
  })

  it('holds what a contact has for the login that has begun, and nothing of an anonymous visitor', async () => {
    for (const [owner, kept] of [
      ['ada', 'a draft'],
      ['', ''],
    ] as const) {
      const { cache } = setUp()
      await cache.open(epoch(1), owner)
      await cache.putDraft(epoch(1), withText('a draft'))
      await cache.transferEpoch(epoch(2), epoch(1))
      await cache.putDraft(epoch(1), withText('late'))
      expect((await cache.open(epoch(2), owner)).draft.text).toBe(kept)
    }
  })

  it('holds nothing for a login that an epoch before the last has left', async () => {
    const { cache } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.putDraft(epoch(1), withText('a draft'))
    await cache.transferEpoch(epoch(3), epoch(2))
    expect((await cache.open(epoch(3), 'ada')).draft.text).toBe('')
  })

  it('shows only what it can read', async () => {
    const { cache, records } = setUp()
    await cache.open(epoch(1), 'ada')
    const whole = records.get('stored') as CachedSession
    for (const spoiled of [7, null, { ...whole, outbox: [{ id: 'm' }] }, { ...whole, transcript: [{ id: 1 }] }]) {
      records.set('stored', spoiled)
      expect(await cache.open(epoch(1), 'ada')).toMatchObject(empty)
    }
  })

  it('keeps the outbox where nothing else can be read', async () => {
    const { cache, records } = setUp()
    const whole = { ...(await cache.open(epoch(1), 'ada')), outbox: [entry] }
    const { draft: _, ...conversation } = whole
    for (const [transcript, draft, ratings] of [
      [[], 7],
      [[], undefined],
      [[], { epoch: epoch(1), id: 'd', revision: 1, text: 7, messageId: 'm', finishedIds: [] }],
      [[{ id: 1 }], undefined],
      [[], undefined, [{ id: 1 }]],
    ]) {
      records.set('stored', { ...conversation, transcript, ratings })
      records.set('draft', draft)
      expect(await cache.open(epoch(1), 'ada')).toEqual(whole)
    }
  })

  it('does not rewrite the transcript for a keystroke', async () => {
    const { cache, records } = setUp()
    await cache.open(epoch(1), 'ada')
    const before = records.get('stored')
    await cache.putDraft(epoch(1), withText('a'))
    expect(records.get('stored')).toBe(before)
    expect(records.get('draft')).toMatchObject({ text: 'a' })
  })

  it('goes on without a database that fails or never answers', async () => {
    const { clock } = setUp()
    const failing = createCache(() => Promise.reject(new Error('no')), clock, always)
    expect(await failing.open(epoch(1), 'ada')).toMatchObject(empty)
    // In this environment there is no `indexedDB` at all: its very mention throws, as where storage is blocked.
    const blocked = createCache(openDatabase('natter:bot', new AbortController().signal), clock, always)
    expect(await blocked.open(epoch(1), 'ada')).toMatchObject(empty)
    const silent = createCache(() => new Promise(() => {}), clock, always).open(epoch(1), 'ada')
    await clock.advance(2000)
    expect(await silent).toMatchObject(empty)
    expect(clock.timers).toBe(0)
  })
})
