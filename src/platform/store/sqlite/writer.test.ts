import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { monotonicMs } from '../callContext.ts'
import { organizations } from '../queries/organizations.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { migrate } from './migrations.ts'
import type { StoreCall, StoreReply } from './thread.ts'
import { createWriter } from './writer.ts'

describe('createWriter', () => {
  let folder: string
  let db: DatabaseSync
  beforeEach(() => {
    folder = createTemporaryFolder()
    db = openDatabase({ file: join(folder, 'store.db'), busyTimeoutMs: 1, durable: true })
    migrate(db)
  })
  afterEach(() => db.close())

  /** The deadline of a call whose caller waits forever. */
  const deadline = Number.POSITIVE_INFINITY

  /** Writes organizations with names of that many characters in one commit; tells how each ended. */
  async function write(...lengths: number[]): Promise<string[]> {
    const replies: StoreReply[] = []
    const { createOrganization } = organizations(createDatabase(db))
    const create = ({ args: [name] }: StoreCall) =>
      createOrganization({ id: crypto.randomUUID(), name: name as string, createdAt: '' })
    const { run, finish } = createWriter(db, create, message => replies.push(message))
    for (const length of lengths) run({ id: length, method: 'create', args: ['x'.repeat(length)], deadline })
    await finish()
    return replies.map(reply => {
      if (!('error' in reply)) return 'written'
      return reply.error.isUnavailable ? 'unavailable' : 'failed'
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
    const write = async ({ args }: StoreCall) => {
      const [name, waits] = args as [string, boolean]
      await writes.createOrganization({ id: name, name, createdAt: '' })
      while (waits && monotonicMs() <= soon);
    }
    const { run, finish } = createWriter(db, write, message => replies.push(message))
    for (const [id, { waits, isShort = false }] of calls.entries())
      run({ id, method: 'write', args: [`org ${id}`, waits], deadline: isShort ? soon : deadline })
    await finish()
    const stored = db.prepare('SELECT name FROM organizations ORDER BY name').all()
    const late = calls.map(({ isShort = false }) => isShort)
    expect(replies.map(reply => 'error' in reply && reply.error.isUnavailable)).toEqual(late)
    expect(stored.map(row => row['name'])).toEqual(late.flatMap((isLate, id) => (isLate ? [] : [`org ${id}`])))
  })

  it('commits and answers other calls before upserts, which can take long', async () => {
    const events: string[] = []
    const write = ({ method }: StoreCall) => events.push(`runs ${method}`)
    const { run, finish } = createWriter(db, write, ({ id }) => events.push(`answers ${id}`))
    for (const [id, method] of ['upsertContacts', 'createContact'].entries()) run({ id, method, args: [], deadline })
    await finish()
    expect(events).toEqual(['runs createContact', 'answers 1', 'runs upsertContacts', 'answers 0'])
  })

  it('answers every call it received before it ends', async () => {
    const replies: StoreReply[] = []
    const { run, finish } = createWriter(
      db,
      ({ id }) => id,
      message => replies.push(message),
    )
    for (let id = 1; id < 1500; id++) run({ id, method: 'write', args: [], deadline })
    await finish()
    expect(replies).toHaveLength(1499)
  })
})
