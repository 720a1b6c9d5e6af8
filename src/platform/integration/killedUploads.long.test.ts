import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeKilledUploads } from '../testing/killedUploadsSuite.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'

describeKilledUploads('a server that is killed', async () => {
  const address = join(createTemporaryFolder(), 'natter.db')
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
