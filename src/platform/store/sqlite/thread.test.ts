import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { defaultStoreLimits } from '../database.ts'
import { StoreUnavailableError } from '../store.ts'
import { openDatabase } from './connection.ts'
import { migrate } from './migrations.ts'
import { createStoreThread } from './thread.ts'

describe('createStoreThread', () => {
  const folder = createTemporaryFolder()
  const never = Number.POSITIVE_INFINITY
  const nothing = { conversations: [], hashes: [], now: '' }
  const start = (name: string, role: 'writer' | 'reader' = 'writer') => {
    const database = { file: join(folder, name), busyTimeoutMs: 1, durable: true }
    return { database, thread: createStoreThread({ role, database, limits: defaultStoreLimits }) }
  }
  /** The same with tables. */
  const startMigrated = (name: string, role: 'writer' | 'reader' = 'writer') => {
    const { database, thread } = start(name, role)
    const db = openDatabase(database)
    migrate(db)
    db.close()
    return thread
  }

  it('rejects the calls of a thread that has died, and starts another for the next call', async () => {
    const { database, thread } = start('late.db', 'reader')
    const calls = [thread.call('sweep', [nothing], never), thread.call('sweep', [nothing], never)]
    const unavailable = { status: 'rejected', reason: expect.any(StoreUnavailableError) }
    expect(await Promise.allSettled(calls)).toMatchObject([unavailable, unavailable])
    expect(thread.pending).toBe(0)
    const db = openDatabase(database)
    migrate(db)
    await expect(thread.call('sweep', [nothing], never)).resolves.toEqual({ conversations: [], ended: [] })
    await thread.close()
    db.close()
  })

  it("rejects with SQLite's code and the place in the thread where a call failed", async () => {
    const thread = startMigrated('code.db')
    const create = () => thread.call('createOrganization', [{ id: 'one', name: 'One', createdAt: '' }], never)
    await create()
    const constraintPrimaryKey = 1555
    const error = { errcode: constraintPrimaryKey, stack: expect.stringMatching(/UNIQUE.*organizations\.ts/s) }
    await expect(create()).rejects.toMatchObject(error)
    await thread.close()
  })

  it.each(['writer', 'reader'] as const)('rejects a call of a method that its %s does not have', async role => {
    const thread = startMigrated(`${role}.db`, role)
    await expect(thread.call('createNothing', [], never)).rejects.toThrow('is not a function')
    await thread.close()
  })

  it('has started once it can run calls, so that its start does not count for the first one', async () => {
    const { thread } = start('later/store.db')
    await expect(thread.start()).rejects.toThrow(StoreUnavailableError)
    mkdirSync(join(folder, 'later'))
    const starting = thread.start()
    expect(thread.pending).toBe(1)
    await starting
    expect(thread.pending).toBe(0)
    await thread.close()
  })

  it('can be closed if it never ran or could not start', async () => {
    const [idle, broken] = [start('nowhere/store.db').thread, start('nowhere/store.db').thread]
    await idle.close()
    await expect(idle.call('purgeSome', ['', 1], never)).rejects.toThrow(StoreUnavailableError)
    const call = broken.call('purgeSome', ['', 1], never)
    const closing = broken.close()
    await expect(call).rejects.toThrow(StoreUnavailableError)
    await closing
  })
})
