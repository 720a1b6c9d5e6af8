import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { monotonicMs } from '../deadline.ts'
import { organizations } from '../queries/organizations.ts'
import { openDatabase } from './connection.ts'
import { createDatabase } from './database.ts'
import { createMaintenance } from './maintenance.ts'
import { migrate } from './migrations.ts'
import type { StoreCall, StoreReply } from './thread.ts'
import { createWriter } from './writer.ts'

describe('createWriter', () => {
  let folder: string
  let db: DatabaseSync
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
    db = openDatabase({ file: join(folder, 'store.db'), busyTimeoutMs: 1, durable: true })
    migrate(db)
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  /** The deadline of a call whose caller waits forever. */
  const deadline = Number.POSITIVE_INFINITY

  /** Writes organizations with names of that many characters in one commit; tells how each ended. */
  async function write(...lengths: number[]): Promise<string[]> {
    const replies: StoreReply[] = []
    const { run, finish } = createWriter({
      db,
      methods: organizations(createDatabase(db)),
      maintenance: createMaintenance(db),
      reply: message => replies.push(message),
    })
    for (const length of lengths) {
      const name = 'x'.repeat(length)
      run({
        id: replies.length,
        method: 'createOrganization',
        args: [{ id: crypto.randomUUID(), name, createdAt: '' }],
        deadline,
        isLargeUpsert: false,
      })
    }
    await finish()
    return replies.map(reply => {
      if (!('error' in reply)) return 'written'
      return reply.error.kind ?? 'failed'
    })
  }
  const count = () => Number(db.prepare('SELECT count(*) AS n FROM organizations').get()?.['n'])
  const integrity = () => db.prepare('PRAGMA integrity_check').get()?.['integrity_check']

  it('rolls back every write of a commit that fails on a full disk, and continues once there is space', async () => {
    expect(await write(1)).toEqual(['written'])
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count'])
    db.exec(`PRAGMA max_page_count = ${pages + 5}`)
    const outcomes = await write(1, 1_000_000, 1)
    expect(outcomes[1]).toBe('unavailable')
    // Whether SQLite rolls back the whole commit or one write, exactly the acknowledged writes are stored.
    expect(count()).toBe(1 + outcomes.filter(outcome => outcome === 'written').length)
    expect(integrity()).toBe('ok')
    db.exec('PRAGMA max_page_count = 1000000')
    expect(await write(1_000_000, 1)).toEqual(['written', 'written'])
    expect(integrity()).toBe('ok')
  })

  it('reports that the store is unavailable while the database is read-only, and continues afterwards', async () => {
    db.exec('PRAGMA query_only = ON')
    expect(await write(1, 1)).toEqual(['unavailable', 'unavailable'])
    db.exec('PRAGMA query_only = OFF')
    expect(await write(1, 1)).toEqual(['written', 'written'])
    expect(count()).toBe(2)
  })

  it('does not reuse cached pages of a damaged file when it is whole again', async () => {
    const file = join(folder, 'store.db')
    expect(await write(1)).toEqual(['written'])
    db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory')
    const whole = readFileSync(file)
    writeFileSync(file, Buffer.from(whole).fill(0xff, 4096), { flag: 'r+' })
    expect(await write(1)).toEqual(['unavailable'])
    writeFileSync(file, whole, { flag: 'r+' })
    expect(await write(1)).toEqual(['written'])
    expect([count(), integrity()]).toEqual([2, 'ok'])
  })

  it.each([
    ['itself runs', [{ waits: false }, { waits: true, isShort: true }]],
    ['runs with no other', [{ waits: true, isShort: true }]],
    ['waits for the commit of calls behind it', [{ waits: false, isShort: true }, { waits: true }, { waits: false }]],
  ])('undoes a write whose deadline passes while it %s, and keeps the others', async (_, calls) => {
    const soon = monotonicMs() + 50
    const writes = organizations(createDatabase(db))
    const replies: StoreReply[] = []
    const { run, finish } = createWriter({
      db,
      methods: {
        async write(name: string, waits: boolean) {
          await writes.createOrganization({ id: name, name, createdAt: '' })
          while (waits && monotonicMs() <= soon);
        },
      },
      maintenance: createMaintenance(db),
      reply: message => replies.push(message),
    })
    for (const [id, { waits, isShort = false }] of calls.entries())
      run({
        id,
        method: 'write',
        args: [`org ${id}`, waits],
        deadline: isShort ? soon : deadline,
        isLargeUpsert: false,
      })
    await finish()
    const stored = db.prepare('SELECT name FROM organizations ORDER BY name').all()
    const late = calls.map(({ isShort = false }) => isShort)
    expect(replies.map(reply => 'error' in reply && reply.error.kind === 'unavailable')).toEqual(late)
    expect(stored.map(row => row['name'])).toEqual(late.flatMap((isLate, id) => (isLate ? [] : [`org ${id}`])))
  })

  describe("the order of the writer's work", () => {
    const ordinaryCall = (id: number): StoreCall => ({ id, method: 'write', args: [], deadline, isLargeUpsert: false })
    const largeUpsert = (id: number): StoreCall => ({ ...ordinaryCall(id), method: 'upsert', isLargeUpsert: true })

    const idleBriefly = (run: () => void) => {
      const immediate = setImmediate(run)
      return () => clearImmediate(immediate)
    }

    /** A writer whose calls do nothing. `events` lists what it did, `settle` waits until it is idle. */
    function trace({ hasBacklog = (): boolean => false, afterIdle = idleBriefly } = {}) {
      const events: string[] = []
      let steps = 0
      const writer = createWriter({
        db,
        methods: { upsert: () => 'upsert', write: () => 'write' },
        maintenance: {
          hasBacklog,
          isWaiting: () => false,
          truncateWal() {},
          finish() {},
          step: () => ++steps < 4 && events.push('maintenance') > 0,
        },
        reply: message => events.push('value' in message ? `${message.value} ${message.id}` : 'failed'),
        afterIdle,
      })
      const settle = async () => {
        for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
      }
      return { events, settle, ...writer }
    }

    it('runs other calls before a large upsert, and between two of them', async () => {
      const { events, settle, run } = trace()
      run(largeUpsert(1))
      run(largeUpsert(2))
      run(ordinaryCall(3))
      while (!events.includes('upsert 1')) await new Promise(setImmediate)
      run(ordinaryCall(4))
      await settle()
      expect(events.slice(0, 4)).toEqual(['write 3', 'upsert 1', 'write 4', 'upsert 2'])
    })

    it('does maintenance when nothing is waiting, and between two commits if there is a backlog', async () => {
      const idle = trace()
      for (const id of [1, 2]) idle.run(largeUpsert(id))
      await idle.settle()
      expect(idle.events).toEqual(['upsert 1', 'upsert 2', 'maintenance', 'maintenance', 'maintenance'])
      const behind = trace({ hasBacklog: () => true })
      for (const id of [1, 2]) behind.run(largeUpsert(id))
      await behind.settle()
      expect(behind.events).toEqual(['maintenance', 'maintenance', 'maintenance', 'upsert 1', 'upsert 2'])
    })

    it('does no maintenance before it has been idle, because calls may come one after the other', async () => {
      const resting = new Set<() => void>()
      const afterIdle = (run: () => void) => {
        resting.add(run)
        return () => void resting.delete(run)
      }
      const { events, settle, run } = trace({ afterIdle })
      for (const id of [1, 2]) {
        run(ordinaryCall(id))
        await settle()
      }
      expect(events).toEqual(['write 1', 'write 2'])
      expect(resting.size).toBe(1)
      for (const rested of resting) rested()
      await settle()
      expect(events.slice(2)).toEqual(['maintenance', 'maintenance', 'maintenance'])
    })

    it('answers every call it received before it ends', async () => {
      const { events, run, finish } = trace()
      run(largeUpsert(1))
      for (let id = 2; id < 1500; id++) run(ordinaryCall(id))
      await finish()
      expect(events.filter(event => event.startsWith('write') || event.startsWith('upsert'))).toHaveLength(1499)
    })
  })
})
