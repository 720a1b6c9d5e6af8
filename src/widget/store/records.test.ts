// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { createNonce, isBefore, nextEpoch, storageKey } from '../identity/storedIdentity.ts'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import { createMemoryUpdate } from '../testing/fixtures.ts'
import { openDatabase, type UpdateRecords } from './database.ts'
import type { OutboxEntry } from './guards.ts'
import { createRecords, type Records, type RecordsDeps } from './records.ts'
import { createTabEntries, updateEntries } from './tabEntries.ts'

const epoch = (number: number, nonce = 'nonce') => `${number}.${nonce}`
const scope = (number: number, owner: string | undefined) => ({ epoch: epoch(number), owner })
const [token, otherToken] = ['a', 'b'].map(digit => `v:${digit.repeat(64)}`) as [string, string]
const ada = scope(1, 'ada')
const nobody = scope(1, '')

const entry = (text: string, ...files: string[]): OutboxEntry => ({
  id: text,
  text,
  createdAt: '2026-01-01T00:00:00.000Z',
  files: files.map(id => ({ id, name: `${id}.txt`, type: 'text/plain', size: 5 })),
})
const blobs = (...ids: string[]) => new Map(ids.map(id => [id, new Blob([`of ${id}`])]))
const full: UpdateRecords = async () => {
  throw new DOMException('Full', 'QuotaExceededError')
}

/** localStorage shows the epoch that `current` returns. */
function setUp(current = () => '') {
  const stored = new Map<string, unknown>()
  const clock = createFakeClock()
  const update = createMemoryUpdate(stored)
  const overtaken: string[] = []
  const identity: RecordsDeps['identity'] = {
    read: () => ({ epoch: current(), reason: 'logout', token: null }),
    newEpoch: (reason, after = '', begunAt = clock.now()) => nextEpoch(after, begunAt, createNonce(reason)),
    hasSeen: seen => seen === current(),
    isBlocked: () => false,
  }
  const open = (change: UpdateRecords = update) =>
    createRecords({ update: change, clock, identity, onOvertaken: (_, later) => void overtaken.push(later.epoch) })
  const text = () => JSON.stringify([...stored])
  const files = () => [...stored.keys()].filter(key => key.startsWith('file:'))
  return { stored, clock, update, overtaken, records: open(), other: open(), open, text, files }
}

const write = (to: Records, of: { epoch: string; owner: string | undefined }, text: string) =>
  to.putOutbox(of, outbox => [...outbox, entry(text)])
const textsOf = async (from: Records, of: typeof ada) => (await from.takeOver(of))?.outbox.map(({ text }) => text)

describe('the records', () => {
  it('are kept for their owner', async () => {
    const { records, other } = setUp()
    await records.takeOver(ada)
    expect(await write(records, ada, 'Hello')).toBe(true)
    await records.putTranscript(ada, stored => ({ ...stored, revision: 7 }))
    expect(await other.takeOver(ada)).toMatchObject({ outbox: [{ text: 'Hello' }], transcript: { revision: 7 } })
  })

  it("are erased before anybody else's or those of another epoch are shown", async () => {
    for (const next of [scope(1, 'grace'), nobody, scope(2, 'ada')]) {
      const { records, text, files } = setUp()
      await records.takeOver(ada)
      await records.putOutbox(ada, () => [entry('for Ada', 'a')], blobs('a'))
      await records.putTranscript(ada, stored => ({ ...stored, revision: 7 }))
      expect(await records.takeOver(next)).toMatchObject({ outbox: [], transcript: { messages: [], revision: 0 } })
      expect(text()).not.toContain('for Ada')
      expect(files()).toEqual([])
    }
  })

  it('refuse late writers, and tell them which epoch is later', async () => {
    const { records, other, overtaken, text, files } = setUp()
    await records.takeOver(ada)
    await other.takeOver(scope(2, ''))
    expect(await records.putOutbox(ada, () => [entry('late', 'c')], blobs('c'))).toBe(false)
    await records.move(epoch(1), epoch(0))
    expect(await records.takeOver(ada)).toBeUndefined()
    expect(text()).not.toMatch(/late|ada/)
    expect([files(), [...new Set(overtaken)]]).toEqual([[], [epoch(2)]])
  })

  it('refuse a writer that is only overtaken on its way', async () => {
    const { records, open, update, text } = setUp()
    const held = Promise.withResolvers<void>()
    await records.takeOver(ada)
    const late = write(
      open((...request) => held.promise.then(() => update(...request))),
      ada,
      'late',
    )
    await records.takeOver(scope(2, ''))
    held.resolve()
    expect(await late).toBe(false)
    expect(text()).not.toContain('late')
  })

  it('refuse a tab that was frozen while storage was emptied and the next person logged in', async () => {
    const { records, other, text } = setUp()
    await records.takeOver(scope(18, 'grace'))
    await write(records, scope(18, 'grace'), "Grace's")
    const before = text()
    expect(await other.takeOver(scope(17, ''))).toBeUndefined()
    await other.move(epoch(17), epoch(16))
    expect(text()).toBe(before)
  })

  it('take what is written before the platform has named the owner only in an epoch that is stored', async () => {
    const { records } = setUp()
    await records.takeOver(ada)
    expect(await write(records, scope(2, undefined), 'early')).toBe(false)
    expect(await write(records, scope(1, undefined), 'in time')).toBe(true)
    expect(await textsOf(records, ada)).toEqual(['in time'])
  })

  it('take nothing before the first epoch has begun', async () => {
    const { records, stored } = setUp()
    expect(await write(records, { epoch: '', owner: '' }, 'early')).toBe(false)
    expect(stored.size).toBe(0)
  })

  it.each([
    ['of a contact are held for the login that has begun', 'ada', 1, ['a message']],
    ['of an anonymous visitor are not', '', 1, []],
    ['of an epoch before the last are not', 'ada', 0, []],
  ])('%s', async (_, owner, previous, kept) => {
    const { records, files } = setUp()
    await records.takeOver(scope(1, owner))
    await records.putOutbox(scope(1, owner), () => [entry('a message', 'a')], blobs('a'))
    await records.move(epoch(2), epoch(previous))
    expect(await write(records, scope(1, owner), 'late')).toBe(false)
    expect(await textsOf(records, scope(2, 'ada'))).toEqual(kept)
    expect(files()).toEqual(kept.length ? ['file:a'] : [])
  })

  it('are shown only as far as they can be read', async () => {
    const { records, stored } = setUp()
    await records.takeOver(ada)
    await write(records, ada, 'Hello')
    stored.set('transcript', { messages: [{ id: 1 }], revision: 1 })
    expect(await records.takeOver(ada)).toMatchObject({ outbox: [{ text: 'Hello' }], transcript: { messages: [] } })
    stored.set('outbox', [{ id: 'm' }])
    expect(await textsOf(records, ada)).toEqual([])
    await write(records, ada, 'Hello')
    stored.set('meta', 'unreadable')
    expect(await textsOf(records, ada)).toEqual([])
  })

  it('are empty where the transaction is aborted, and what is written later is kept', async () => {
    const { records, other, open, update, text } = setUp()
    await records.takeOver(scope(1, 'grace'))
    await write(records, scope(1, 'grace'), 'of Grace')
    let isFull = true
    const sometimes = open((...request) => (isFull ? full(...request) : update(...request)))
    expect(await sometimes.takeOver(scope(2, 'ada'))).toMatchObject({ outbox: [], isClean: false })
    expect(await write(sometimes, scope(2, 'ada'), 'too much')).toBe(false)
    isFull = false
    expect(await write(sometimes, scope(2, 'ada'), 'of Ada')).toBe(true)
    expect(text()).not.toContain('of Grace')
    expect(await textsOf(other, scope(2, 'ada'))).toEqual(['of Ada'])
  })

  it('are empty where the database fails or never answers', async () => {
    const { open, clock } = setUp()
    // In this environment there is no `indexedDB` at all: its very mention throws, as where storage is blocked.
    const blocked = openDatabase('natter:bot', new AbortController().signal)
    for (const update of [full, blocked, () => new Promise<void>(() => {})]) {
      const results = Promise.all([
        open(update).takeOver(nobody),
        open(update).claimToken(nobody, ''),
        open(update).claimToken(nobody, token),
        open(update).beginFirst(),
        open(update).move(epoch(2), epoch(1)),
      ])
      await settle()
      await clock.advance(2000)
      expect(await results).toMatchObject([
        { outbox: [], isClean: false },
        '',
        token,
        expect.stringMatching(/^\d+\.\w+$/),
        null,
      ])
      expect(clock.timers).toBe(0)
    }
    expect(
      await write(
        open(async () => {}),
        ada,
        'after the end of the widget',
      ),
    ).toBe(false)
  })
})

describe('the files of the outbox', () => {
  async function withFiles() {
    const acme = setUp()
    await acme.records.takeOver(ada)
    await acme.records.putOutbox(ada, () => [entry('m', 'a', 'b')], blobs('a', 'b'))
    return acme
  }

  it('are records of their own, which only their epoch reads', async () => {
    const { records, files } = await withFiles()
    expect(files()).toEqual(['file:a', 'file:b'])
    expect(await (await records.readFile(epoch(1), 'b'))?.text()).toBe('of b')
    expect(await records.readFile(epoch(2), 'b')).toBeUndefined()
    expect(await records.readFile(epoch(1), 'c')).toBeUndefined()
  })

  it('go with their message, and stay when anything else changes', async () => {
    const { records, files } = await withFiles()
    await records.putTranscript(ada, stored => ({ ...stored, revision: 7 }))
    await records.putOutbox(ada, outbox => [...outbox, entry('n', 'c')], blobs('c'))
    expect(files()).toEqual(['file:a', 'file:b', 'file:c'])
    await records.putOutbox(ada, outbox => outbox.filter(({ id }) => id !== 'm'))
    expect(files()).toEqual(['file:c'])
  })

  it('are refused as a whole where only texts can be stored, of which nothing is left either', async () => {
    const { open } = setUp()
    const entries = createTabEntries(() => localStorage, storageKey('bot', 'identity'))
    const records = open(updateEntries('bot', entries))
    await records.takeOver(ada)
    const put = (files?: ReadonlyMap<string, Blob>) => records.putOutbox(ada, () => [entry('m', 'a')], files)
    expect([await put(blobs('a')), await put()]).toEqual([false, true])
    expect(await records.takeOver(ada)).toMatchObject({ outbox: [{ files: [{ name: 'a.txt' }] }] })
    await records.takeOver(scope(2, ''))
    expect(Object.keys(localStorage)).toEqual(['natter:bot:meta'])
    localStorage.clear()
  })
})

describe('the anonymous session of an epoch', () => {
  it('has the token that was stored first', async () => {
    const { records, other } = setUp()
    expect(await records.claimToken(nobody, '')).toBe('')
    expect(await other.claimToken(nobody, otherToken)).toBe(otherToken)
    expect(await records.claimToken(nobody, token)).toBe(otherToken)
  })

  it('is not to be had in a later epoch, nor stored by a tab that comes late', async () => {
    const { records, other, text } = setUp()
    await records.claimToken(nobody, token)
    expect(await other.takeOver(scope(2, ''))).toMatchObject({ isClean: true, erasedToken: token })
    expect(text()).not.toContain(token)
    expect([await records.claimToken(nobody, ''), await records.claimToken(nobody, token)]).toEqual([
      undefined,
      undefined,
    ])
    expect(text()).not.toContain('v:')
    expect(await other.claimToken(scope(2, ''), '')).toBe('')
  })

  it('is erased by a login', async () => {
    const { records, text } = setUp()
    await records.claimToken(nobody, token)
    expect(await records.move(epoch(2), epoch(1))).toBe(token)
    expect(text()).not.toContain(token)
  })

  it('is erased after storage has been emptied', async () => {
    const { records, other, text } = setUp()
    await records.claimToken(scope(17, ''), token)
    const first = `${await other.beginFirst()}`
    expect([text(), await records.claimToken(scope(17, ''), '')]).toEqual([
      expect.not.stringContaining(token),
      undefined,
    ])
    expect(await other.claimToken({ epoch: first, owner: '' }, '')).toBe('')
  })
})

describe('an epoch in which the anonymous visitor goes on', () => {
  it('keeps what they have not sent, with its files, and nothing of the session', async () => {
    const { records, other, files, stored } = setUp()
    await records.claimToken(nobody, token)
    await records.putTranscript(nobody, transcript => ({ ...transcript, revision: 7 }))
    await records.putOutbox(nobody, () => [entry('not sent', 'a')], blobs('a'))
    expect(await other.takeOver(scope(2, ''))).toMatchObject({
      transcript: { revision: 0 },
      outbox: [{ text: 'not sent' }],
      erasedToken: token,
    })
    expect([files(), stored.get('meta')]).toEqual([
      ['file:a'],
      expect.objectContaining({ epoch: epoch(2), owner: '', token: '' }),
    ])
    const expired = { ...scope(3, ''), reason: 'expired' } as const
    expect([(await other.takeOver(expired))?.outbox, files()]).toEqual([[], []])
  })

  it('is none of another visitor', async () => {
    const { records, other } = setUp()
    await records.putOutbox(nobody, () => [entry('not sent')])
    expect(await other.takeOver({ epoch: epoch(2, 'another'), owner: '' })).toMatchObject({ outbox: [] })
  })
})

describe('the first epoch', () => {
  it('is the one that IndexedDB has, until localStorage has had time to show it', async () => {
    let current = ''
    const { stored, clock, records, other } = setUp(() => current)
    stored.set('outbox', [entry('left over')])
    const first = `${await records.beginFirst()}`
    expect([...stored]).toEqual([['meta', { epoch: first, reason: 'storage_reset', owner: '', token: '' }]])
    expect(await other.beginFirst()).toBeUndefined()
    await clock.advance(5000)
    current = first
    expect(await other.beginFirst()).toBeUndefined()
    current = ''
    const second = `${await other.beginFirst()}`
    expect(isBefore(first, second)).toBe(true)
  })

  it.each([
    ['set back', -86_400_000],
    ['far ahead, and is right again', 86_400_000],
  ])('is later than all that IndexedDB has, also if the clock was %s', async (_, ms) => {
    const { clock, stored, records, other, overtaken } = setUp()
    const { now } = clock
    if (ms > 0) clock.now = () => now() + ms
    const former = { epoch: `${await records.beginFirst()}`, owner: '' }
    await write(records, former, 'left over')
    clock.now = ms > 0 ? now : () => now() + ms
    const first = `${await other.beginFirst()}`
    expect(isBefore(former.epoch, first)).toBe(true)
    expect([...stored]).toEqual([['meta', { epoch: first, reason: 'storage_reset', owner: '', token: '' }]])
    expect([await write(records, former, 'late'), overtaken]).toEqual([false, [first]])
  })

  it('is not stored by a database that answers when the epoch has begun without it', async () => {
    const { clock, stored, update, open } = setUp()
    const held = Promise.withResolvers<void>()
    const first = open((...request) => held.promise.then(() => update(...request))).beginFirst()
    await clock.advance(2000)
    const begun = await first
    expect(isBefore(`${begun}`, `${clock.now() - 5000}`)).toBe(true)
    held.resolve()
    await settle()
    expect(stored.size).toBe(0)
  })

  it('yields to a later one in its place, whatever localStorage shows, and not to an emptied database', async () => {
    const [one, two] = ['a', 'b'].map(nonce => ({ epoch: epoch(1, nonce), owner: '' })) as [typeof ada, typeof ada]
    // The tab of another process doesn't see the second epoch yet.
    const { stored, records, other, overtaken } = setUp(() => one.epoch)
    await records.takeOver(one)
    await other.takeOver(two)
    await write(other, two, 'kept')
    expect(await write(records, one, 'late')).toBe(false)
    expect(await records.takeOver(one)).toBeUndefined()
    expect([...new Set(overtaken)]).toEqual([two.epoch])
    expect(await textsOf(other, two)).toEqual(['kept'])
    stored.clear()
    expect(await write(records, one, 'Hello')).toBe(true)
  })
})
