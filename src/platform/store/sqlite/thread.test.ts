import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultSearchLimits } from '../database.ts'
import { StoreUnavailableError } from '../store.ts'
import { openDatabase } from './connection.ts'
import { migrate } from './migrations.ts'
import { createStoreThread } from './thread.ts'

describe('createStoreThread', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const never = Number.POSITIVE_INFINITY
  const nothing = { conversations: [], hashes: [], now: '' }

  it('rejects the calls of a thread that has died, and starts another for the next call', async () => {
    const database = { file: join(folder, 'store.db'), busyTimeoutMs: 1, durable: true }
    const thread = createStoreThread({ role: 'reader', database, limits: defaultSearchLimits })
    const calls = [thread.call('sweep', [nothing], never), thread.call('sweep', [nothing], never)]
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) })
    }
    expect(thread.pending).toBe(0)
    const db = openDatabase(database)
    migrate(db)
    await expect(thread.call('sweep', [nothing], never)).resolves.toEqual({ conversations: [], ended: [] })
    await thread.close()
    db.close()
  })

  it("rejects with SQLite's code and the place in the thread where a call failed", async () => {
    const database = { file: join(folder, 'store.db'), busyTimeoutMs: 1, durable: true }
    const db = openDatabase(database)
    migrate(db)
    db.close()
    const thread = createStoreThread({ role: 'writer', database, limits: defaultSearchLimits })
    const create = () => thread.call('createOrganization', [{ id: 'one', name: 'One', createdAt: '' }], never)
    await create()
    const constraintPrimaryKey = 1555
    const error = { errcode: constraintPrimaryKey, stack: expect.stringMatching(/UNIQUE.*organizations\.ts/s) }
    await expect(create()).rejects.toMatchObject(error)
    await thread.close()
  })

  it.each(['writer', 'reader'] as const)('rejects a call of a method that its %s does not have', async role => {
    const database = { file: join(folder, 'store.db'), busyTimeoutMs: 1, durable: true }
    const db = openDatabase(database)
    migrate(db)
    db.close()
    const thread = createStoreThread({ role, database, limits: defaultSearchLimits })
    await expect(thread.call('createNothing', [], never)).rejects.toThrow('is not a function')
    await thread.close()
  })

  it('has started once it can run calls, so that its start does not count for the first one', async () => {
    const database = { file: join(folder, 'later', 'store.db'), busyTimeoutMs: 1, durable: true }
    const thread = createStoreThread({ role: 'writer', database, limits: defaultSearchLimits })
    await expect(thread.start()).rejects.toThrow(StoreUnavailableError)
    mkdirSync(join(folder, 'later'))
    const starting = thread.start()
    expect(thread.pending).toBe(1)
    await starting
    expect(thread.pending).toBe(0)
    await thread.close()
  })

  it('can be closed if it never ran or could not start', async () => {
    const database = { file: join(folder, 'nowhere', 'store.db'), busyTimeoutMs: 1, durable: true }
    const idle = createStoreThread({ role: 'writer', database, limits: defaultSearchLimits })
    await idle.close()
    await expect(idle.call('purgeSome', ['', 1], never)).rejects.toThrow(StoreUnavailableError)
    const broken = createStoreThread({ role: 'writer', database, limits: defaultSearchLimits })
    const call = broken.call('purgeSome', ['', 1], never)
    const closing = broken.close()
    await expect(call).rejects.toThrow(StoreUnavailableError)
    await closing
  })
})
