import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import type { Store } from '../store/store.ts'
import { createStoreDatabase, execute } from './postgresServer.ts'
import { createTemporaryFolder } from './temporaryFolder.ts'

/** An empty database, which a test can also read beside a store or a server process. */
export interface TestDatabase {
  /** The path of the file, or the URL. */
  address: string
  openStore(): Promise<Store>
  query(sql: string): Promise<Record<string, unknown>[]>
}

export async function createSqliteDatabase(): Promise<TestDatabase> {
  const file = join(createTemporaryFolder(), 'natter.db')
  return {
    address: file,
    openStore: () => createSqliteStore({ file }),
    async query(sql) {
      const db = new DatabaseSync(file, { readOnly: true })
      try {
        return db.prepare(sql).all()
      } finally {
        db.close()
      }
    },
  }
}

export async function createPostgresDatabase(): Promise<TestDatabase> {
  const url = await createStoreDatabase(inject('postgres'))
  return { address: url, openStore: () => createPostgresStore({ url }), query: sql => execute(url, sql) }
}
