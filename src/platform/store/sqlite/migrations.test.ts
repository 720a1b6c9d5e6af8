import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { createTestTenants, signIn } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { restoreDatabase } from './backup.ts'
import { migrate, migrations } from './migrations.ts'
import { createSqliteStore } from './sqliteStore.ts'

const nextVersion = [
  ...migrations,
  `ALTER TABLE messages ADD COLUMN length INTEGER;
   UPDATE messages SET length = length(text);
   CREATE INDEX messages_by_length ON messages (conversation_id, length);`,
]

let folder: string
let file: string
beforeEach(() => {
  folder = createTemporaryFolder()
  file = join(folder, 'natter.db')
})

function migrateFile(version: string[]): void {
  const db = new DatabaseSync(file)
  try {
    migrate(db, version)
  } finally {
    db.close()
  }
}

function read(sql: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Object.values(db.prepare(sql).get() ?? {})[0]
  } finally {
    db.close()
  }
}

it('migrates a file of an older version, with its rows', async () => {
  const store = await createSqliteStore({ file })
  const person = await signIn(store, (await createTestTenants(store)).ours)
  await person.send('hello')
  await store.close()
  migrateFile(nextVersion)
  expect(read('SELECT length FROM messages')).toBe(5)
  expect(read('PRAGMA user_version')).toBe(nextVersion.length)
})

it('leaves the file as it was if a migration fails', async () => {
  migrateFile(migrations)
  expect(() => migrateFile([...nextVersion, 'CREATE TABLE messages (a)'])).toThrow('already exists')
  expect(read('PRAGMA user_version')).toBe(migrations.length)
  expect(read(`SELECT count(*) FROM pragma_table_info('messages') WHERE name = 'length'`)).toBe(0)
})

it('refuses a file of a newer version, also as a backup, whose tables it cannot verify', async () => {
  migrateFile(nextVersion)
  await expect(createSqliteStore({ file })).rejects.toThrow('written by a newer version of Natter. Update Natter.')
  const restore = () => restoreDatabase(file, join(folder, 'other.db'), { keepTokens: true, at: '' })
  expect(restore).toThrow('was written by a newer version of Natter')
})
