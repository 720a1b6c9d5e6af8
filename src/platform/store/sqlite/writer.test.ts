import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from './connection.ts'
import { createIndexer } from './indexer.ts'
import { migrate } from './migrations.ts'
import { organizationWrites } from './organizations.ts'
import type { Reply } from './thread.ts'
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

  /** Writes organizations with names of that many characters in one commit; tells how each ended. */
  function write(...lengths: number[]): ('written' | 'unavailable' | 'failed')[] {
    const replies: Reply[] = []
    const indexer = createIndexer(db, true)
    const { run, finish } = createWriter(db, organizationWrites(db), reply => replies.push(reply), indexer)
    for (const length of lengths) {
      const name = 'x'.repeat(length)
      run({
        id: replies.length,
        method: 'createOrganization',
        args: [{ id: crypto.randomUUID(), name, createdAt: '' }],
      })
    }
    finish()
    return replies.map(reply => {
      if (!('error' in reply)) return 'written'
      return reply.error.unavailable ? 'unavailable' : 'failed'
    })
  }
  const count = () => Number(db.prepare('SELECT count(*) AS n FROM organizations').get()?.['n'])
  const integrity = () => db.prepare('PRAGMA integrity_check').get()?.['integrity_check']

  it('undoes every write of a commit that the full disk breaks off, and goes on once there is room', () => {
    expect(write(1)).toEqual(['written'])
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count'])
    db.exec(`PRAGMA max_page_count = ${pages + 5}`)
    const outcomes = write(1, 1_000_000, 1)
    expect(outcomes[1]).toBe('unavailable')
    // Whether the engine gives up the whole commit or one write of it, what it has acknowledged stands, and no more.
    expect(count()).toBe(1 + outcomes.filter(outcome => outcome === 'written').length)
    expect(integrity()).toBe('ok')
    db.exec('PRAGMA max_page_count = 1000000')
    expect(write(1_000_000, 1)).toEqual(['written', 'written'])
    expect(integrity()).toBe('ok')
  })

  it('says that the store is unavailable while the database is read-only, and goes on afterwards', () => {
    db.exec('PRAGMA query_only = ON')
    expect(write(1, 1)).toEqual(['unavailable', 'unavailable'])
    db.exec('PRAGMA query_only = OFF')
    expect(write(1, 1)).toEqual(['written', 'written'])
    expect(count()).toBe(2)
  })
})
