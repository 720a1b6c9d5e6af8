import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeKilledUploads } from '../testing/killedUploadsSuite.ts'

describeKilledUploads('a server that is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-killed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const address = join(folder, 'natter.db')
  return {
    address,
    async query(sql) {
      const db = new DatabaseSync(address, { readOnly: true })
      try {
        return db.prepare(sql).all()
      } finally {
        db.close()
      }
    },
    openStore: () => createSqliteStore({ file: address }),
  }
})
