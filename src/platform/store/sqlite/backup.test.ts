import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileBytes, readFile, uploadFile } from '../../testing/store/files.ts'
import { search } from '../../testing/store/listingSuite.ts'
import { readSearchTerms } from '../../testing/store/readSearchTerms.ts'
import { at, createTestTenants, newContact, newToken, signIn } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { methodsOf } from '../queries/methods.ts'
import type { Store } from '../store.ts'
import { backupDatabase, restoreDatabase } from './backup.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { lockExclusive, lockShared } from './databaseFile.ts'
import { sqliteDialect } from './dialect.ts'
import { createSqliteStore } from './sqliteStore.ts'

const moduleUrl = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href)

describe('backup and restore', () => {
  let folder: string
  let file: string
  let backup: string
  beforeEach(() => {
    folder = createTemporaryFolder()
    file = join(folder, 'natter.db')
    backup = join(folder, 'backup.db')
  })
  const started: ReturnType<typeof spawn>[] = []
  afterEach(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })

  /** Runs code in a separate process until the test ends. Resolves at its first line of output. */
  async function startProcess(code: string) {
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    started.push(child)
    await once(createInterface({ input: child.stdout }), 'line')
    return child
  }

  async function useStore<Result>(path: string, use: (store: Store) => Promise<Result>): Promise<Result> {
    const store = await createSqliteStore({ file: path })
    try {
      return await use(store)
    } finally {
      await store.close()
    }
  }

  function execute(path: string, sql: string): void {
    const db = new DatabaseSync(path)
    db.exec(sql)
    db.close()
  }

  /** A closed store with a contact who has sent a message and a file, and an organization token. */
  const fill = () =>
    useStore(file, async store => {
      const { ours } = await createTestTenants(store)
      const person = await signIn(store, ours)
      await person.send()
      const fileId = await uploadFile(store, { sessionHash: person.hash })
      await person.send('', { files: [{ id: fileId, name: 'a.png' }] })
      const token = newToken(ours.organizationId)
      await store.createOrganizationToken(token)
      return { ...person, ours, token, fileId }
    })
  const restore = (from = backup, to = file, keepTokens = false) => restoreDatabase(from, to, { keepTokens, at: at(9) })

  describe('backupDatabase', () => {
    it('copies a consistent state while another process writes', async () => {
      const { ours } = await fill()
      await startProcess(`
        import { createSqliteStore } from ${moduleUrl('sqliteStore.ts')}
        const store = await createSqliteStore({ file: ${JSON.stringify(file)} })
        for (let n = 0; ; n++) {
          const entries = [0, 1, 2].map(part => {
            const email = n + '-' + part + '@e.org'
            return { id: n + '-' + part, name: 'N', email, emailKey: email, createdAt: '', updatedAt: '' }
          })
          await store.upsertContacts(${JSON.stringify(ours)}, entries)
          if (n === 20) console.log('running')
        }`)
      backupDatabase(file, backup)
      const copy = new DatabaseSync(backup)
      const counts = copy.prepare(`SELECT count(*) AS n FROM contacts WHERE name = 'N'`).get() as { n: number }
      copy.close()
      expect(counts.n).toBeGreaterThanOrEqual(60)
      expect(counts.n % 3).toBe(0)
    })

    it('contains nothing of a contact that was deleted a moment ago', async () => {
      const { scope } = await fill()
      const db = openDatabase({ file, busyTimeoutMs: 1, durable: true })
      const { updateContact, deleteContact } = methodsOf(createDatabase(db), sqliteDialect())
      await updateContact(scope, { name: 'Zyxwvu Qjkpflm', updatedAt: at(4) })
      await deleteContact(scope, at(5))
      backupDatabase(file, backup)
      expect(readSearchTerms(db).has('zyx')).toBe(true)
      db.close()
      const copy = new DatabaseSync(backup)
      expect([...readSearchTerms(copy)]).toEqual([])
      copy.close()
      expect(readFileSync(backup).includes('jkpf')).toBe(false)
    })

    it('leaves no file that looks like a backup if its process is killed', async () => {
      await fill()
      const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n'
      execute(file, `CREATE TABLE ballast (data); INSERT INTO ballast SELECT randomblob(100000) FROM (${numbers})`)
      const child = await startProcess(`
        import { backupDatabase } from ${moduleUrl('backup.ts')}
        console.log('begins')
        backupDatabase(${JSON.stringify(file)}, ${JSON.stringify(backup)})`)
      while (!readdirSync(folder).some(name => name.endsWith('.partial'))) await new Promise(setImmediate)
      child.kill('SIGKILL')
      await once(child, 'exit')
      expect(existsSync(backup)).toBe(false)
      backupDatabase(file, backup)
      expect(existsSync(backup)).toBe(true)
    })

    it('never overwrites a file, creates no database, and makes the copy readable only by its owner', async () => {
      expect(() => backupDatabase(file, backup)).toThrow(/no database/)
      expect(existsSync(file)).toBe(false)
      await fill()
      backupDatabase(file, backup)
      expect(statSync(backup).mode & 0o777).toBe(0o600)
      expect(() => backupDatabase(file, backup)).toThrow(/exists already/)
      writeFileSync(join(folder, 'other'), 'x'.repeat(5000))
      expect(() => backupDatabase(join(folder, 'other'), join(folder, 'new.db'))).toThrow(/other is no database/)
      const nowhere = join(folder, 'no')
      expect(() => backupDatabase(file, join(nowhere, 'b.db'))).toThrow(`There is no folder ${nowhere}:`)
      expect(() => backupDatabase(folder, join(folder, 'new.db'))).toThrow(/is a folder/)
      expect(readdirSync(folder).filter(name => name.includes('partial') || name === 'new.db')).toEqual([])
    })
  })

  describe('restoreDatabase', () => {
    it('restores all data, ends every token, and keeps the former database complete under another name', async () => {
      const { contact, scope, conversationId, hash, token, ours, fileId } = await fill()
      backupDatabase(file, backup)
      const former = `${file}.before-restore`
      await useStore(file, async changed => {
        await changed.deleteContact(scope, at(5))
        for (const name of ['Later', 'Latest']) await changed.createContact(ours, newContact(name))
      })
      expect(restore()).toEqual({ ended: 2, former })
      await useStore(file, async store => {
        expect(await search(store, ours)).toEqual({ contacts: [contact], total: 1 })
        const messages = [{ text: 'hello' }, { text: '', attachments: [{ id: fileId }] }]
        expect(await store.listMessages(conversationId, { limit: 9 })).toMatchObject(messages)
        expect(await readFile(store, conversationId, fileId)).toEqual(fileBytes)
        expect((await store.findSession(hash))?.ended).toEqual({ reason: 'revoked', at: at(9) })
        expect((await store.findOrganizationToken(token.hash))?.revokedAt).toBe(at(9))
      })
      const files = ['backup.db', 'natter.db', 'natter.db.before-restore', 'natter.db.lock']
      expect(readdirSync(folder).sort()).toEqual(files)
      await useStore(former, async kept => expect((await search(kept, ours)).total).toBe(2))
      expect(statSync(former).mode & 0o777).toBe(statSync(file).mode & 0o777)
      // It is never overwritten.
      expect(() => restore()).toThrow(/before-restore exists already/)
    })

    it('keeps the tokens valid if requested, also if there was no database before', async () => {
      const { hash, token } = await fill()
      backupDatabase(file, backup)
      const elsewhere = join(folder, 'place.db')
      expect(restore(backup, elsewhere, true)).toEqual({ ended: 0, former: null })
      await useStore(elsewhere, async store => {
        expect((await store.findSession(hash))?.ended).toBeNull()
        expect((await store.findOrganizationToken(token.hash))?.revokedAt).toBeNull()
      })
    })

    it('ignores the write-ahead log of a database that was never closed', async () => {
      const { ours } = await fill()
      backupDatabase(file, backup)
      const copied = join(folder, 'copied.db')
      await useStore(file, async store => {
        await store.createContact(ours, newContact('Later'))
        for (const log of ['', '-wal']) cpSync(file + log, copied + log)
      })
      // A database that cannot be opened any more is replaced too, with the files beside it.
      writeFileSync(copied, 'x'.repeat(9000))
      restore(backup, copied)
      await useStore(copied, async restored => expect((await search(restored, ours)).total).toBe(1))
    })

    it('refuses a file that is not a complete Natter backup, and leaves the database unchanged', async () => {
      const { scope, contact } = await fill()
      const other = join(folder, 'other.db')
      execute(other, 'CREATE TABLE theirs (id)')
      const garbage = join(folder, 'garbage')
      writeFileSync(garbage, 'x'.repeat(9000))
      backupDatabase(file, backup)
      // The page with the list of tables, and those after it.
      const [broken, torn] = [join(folder, 'broken.db'), join(folder, 'torn.db')]
      writeFileSync(broken, readFileSync(backup).fill(7, 4096, 40_960))
      writeFileSync(torn, readFileSync(backup).fill(7, 16_384, 40_960))
      for (const source of [other, garbage, broken, torn, join(folder, 'missing'), file, folder])
        expect(() => restore(source), source).toThrow(source)
      await useStore(file, async store => expect(await store.findContact(scope)).toEqual(contact))
      expect(readdirSync(folder).filter(name => name.includes('partial'))).toEqual([])
    })

    it('refuses a backup with other tables or triggers than Natter’s, or with dangling references', async () => {
      const { scope, contact } = await fill()
      backupDatabase(file, backup)
      const changes = {
        trigger: `CREATE TRIGGER reopen AFTER UPDATE ON organization_tokens BEGIN
          UPDATE organization_tokens SET revoked_at = NULL; END`,
        view: 'CREATE VIEW theirs AS SELECT * FROM contacts',
        column: 'ALTER TABLE contacts ADD COLUMN theirs TEXT',
        lost: 'DROP TABLE idempotency',
        dangling: 'PRAGMA foreign_keys = OFF; DELETE FROM organizations',
      }
      for (const [name, change] of Object.entries(changes)) {
        const source = join(folder, `${name}.db`)
        cpSync(backup, source)
        execute(source, change)
        expect(() => restore(source), name).toThrow(name === 'dangling' ? /damaged/ : /tables that Natter makes/)
      }
      const stubs = join(folder, 'stubs.db')
      execute(
        stubs,
        `PRAGMA application_id = ${0x4e617474}; PRAGMA user_version = 1;
         CREATE TABLE organization_tokens (revoked_at); CREATE TABLE sessions (end_reason, ended_at)`,
      )
      expect(() => restore(stubs)).toThrow(/tables that Natter makes/)
      await useStore(file, async store => expect(await store.findContact(scope)).toEqual(contact))
      expect(() => restore()).not.toThrow()
    })

    it('refuses while a server has the store open, including killed ones until they are gone', async () => {
      await fill()
      backupDatabase(file, backup)
      const serve = `import { lockShared } from ${moduleUrl('databaseFile.ts')}
        lockShared(${JSON.stringify(file)}); 
        await new Promise(setImmediate); globalThis.gc(); await new Promise(setImmediate)
        console.log('holds'); setInterval(() => {}, 1000)`
      const [one, two] = [await startProcess(serve), await startProcess(serve)]
      expect(() => restore()).toThrow(/Stop it first/)
      one.kill('SIGKILL')
      await once(one, 'exit')
      expect(() => restore()).toThrow(/Stop it first/)
      two.kill('SIGKILL')
      await once(two, 'exit')
      expect(restore().ended).toBe(2)
    })

    it('refuses while any other process has the database open', async () => {
      await fill()
      backupDatabase(file, backup)
      await useStore(file, async () => expect(() => restore()).toThrow(/open/))
      expect(restore().ended).toBe(2)
    })
  })

  describe('lockShared', () => {
    it('is shared between servers, and refused during a restore', () => {
      const releases = [lockShared(file), lockShared(file)]
      expect(() => lockExclusive(file)).toThrow(/Stop it first/)
      for (const release of releases) release()
      const release = lockExclusive(file)
      expect(() => lockShared(file)).toThrow(/being restored/)
      release()
      lockShared(file)()
      expect(statSync(`${file}.lock`).mode & 0o777).toBe(0o600)
      expect(() => lockShared(join(folder, 'no', 'natter.db'))).toThrow(/no folder/)
    })
  })
})
