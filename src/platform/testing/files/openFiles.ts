import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPostgresStore } from '../../store/postgres/postgresStore.ts'
import { createSqliteStore } from '../../store/sqlite/sqliteStore.ts'
import { createStoreDatabase, execute } from '../postgresServer.ts'
import { countFiles, type FilesDatabase } from './useFiles.ts'

export async function openSqliteFiles(): Promise<FilesDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-files-'))
  const file = join(folder, 'natter.db')
  const store = await createSqliteStore({ file })
  const db = new DatabaseSync(file, { readOnly: true })
  return {
    store,
    count: async () => db.prepare(countFiles).get() as { files: number; parts: number },
    async close() {
      db.close()
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export async function openPostgresFiles(server: string): Promise<FilesDatabase> {
  const url = await createStoreDatabase(server)
  const store = await createPostgresStore({ url })
  return {
    store,
    async count() {
      const [counted] = await execute(url, countFiles)
      return { files: Number(counted?.['files']), parts: Number(counted?.['parts']) }
    },
    close: store.close,
  }
}
