import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { at, createTestTenants, newMessage, signIn } from '../../testing/store/storeTenants.ts'
import { backupDatabase, restoreDatabase } from './backup.ts'
import { createSqliteStore } from './sqliteStore.ts'

describe('a modified backup', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
    file = join(folder, 'natter.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is refused if its tables or triggers are not Natter’s, or its rows have dangling references', async () => {
    const store = await createSqliteStore({ file })
    const person = await signIn(store, (await createTestTenants(store)).ours)
    await store.appendVisitorMessage(person.hash, newMessage('hello'))
    await store.close()
    const backup = join(folder, 'backup.db')
    backupDatabase(file, backup)

    const changes = {
      trigger: `CREATE TRIGGER reopen AFTER UPDATE ON organization_tokens BEGIN
        UPDATE organization_tokens SET revoked_at = NULL; END`,
      view: 'CREATE VIEW theirs AS SELECT * FROM contacts',
      column: 'ALTER TABLE contacts ADD COLUMN theirs TEXT',
      lost: 'DROP TABLE idempotency',
      dangling: 'PRAGMA foreign_keys = OFF; DELETE FROM organizations',
    }
    const restore = (source: string) => () => restoreDatabase(source, file, { keepTokens: false, at: at(9) })
    for (const [name, change] of Object.entries(changes)) {
      const source = join(folder, `${name}.db`)
      cpSync(backup, source)
      execute(source, change)
      expect(restore(source), name).toThrow(name === 'dangling' ? /damaged/ : /tables that Natter makes/)
    }
    const stubs = join(folder, 'stubs.db')
    execute(
      stubs,
      `PRAGMA application_id = ${0x4e617474}; PRAGMA user_version = 1;
       CREATE TABLE organization_tokens (revoked_at); CREATE TABLE sessions (end_reason, ended_at)`,
    )
    expect(restore(stubs)).toThrow(/tables that Natter makes/)

    const untouched = await createSqliteStore({ file })
    expect(await untouched.findContact(person.scope)).toEqual(person.contact)
    await untouched.close()
    expect(restore(backup)).not.toThrow()
  })
})

function execute(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}
