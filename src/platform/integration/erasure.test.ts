import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeErasure } from '../testing/erasureSuite.ts'

describeErasure('erasure, on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  const file = join(folder, 'store.db')
  const store = await createSqliteStore({ file })
  const db = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  return { store, readKeys: async () => db.prepare('SELECT * FROM idempotency').all() }
})
