import { copyFileSync, existsSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { at } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { backupDatabase, restoreDatabase } from './backup.ts'
import { lockExclusive, lockShared, realPathOf } from './databaseFile.ts'
import { createSqliteStore } from './sqliteStore.ts'

describe('a database that is named by a symbolic link', () => {
  let folder: string
  let file: string
  let link: string
  beforeEach(() => {
    folder = createTemporaryFolder()
    file = join(folder, 'natter.db')
    link = join(folder, 'link.db')
    symlinkSync(join(folder, 'further.db'), link)
    symlinkSync('natter.db', join(folder, 'further.db'))
  })

  it('is the file at the end of all links, although that is missing yet', () => {
    expect(realPathOf(link)).toBe(file)
    writeFileSync(file, '')
    expect(realPathOf(link)).toBe(file)
    expect(() => realPathOf(join(folder, 'nowhere', 'natter.db'))).toThrow('There is no folder')
  })

  it('has one lock, whatever its name', () => {
    const release = lockShared(file)
    expect(() => lockExclusive(link)).toThrow('A server works with the database')
    release()
    lockExclusive(link)()
    expect(existsSync(`${link}.lock`)).toBe(false)
  })

  it('is replaced by a restore, and the link stays', async () => {
    const store = await createSqliteStore({ file })
    await store.createOrganization({ id: 'one', name: 'Acme', createdAt: at(0) })
    await store.close()
    const backup = join(folder, 'backup.db')
    backupDatabase(file, backup)
    const { former } = restoreDatabase(backup, link, { keepTokens: true, at: at(9) })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect([former, lstatSync(former ?? '').isFile()]).toEqual([`${file}.before-restore`, true])
    const restored = await createSqliteStore({ file: link })
    expect(await restored.listOrganizations()).toHaveLength(1)
    await restored.close()
  })

  it('is restored together with its write-ahead log', async () => {
    const store = await createSqliteStore({ file })
    await store.createOrganization({ id: 'one', name: 'Acme', createdAt: at(0) })
    const [copied, linkToCopied] = [join(folder, 'copied.db'), join(folder, 'copied-link.db')]
    for (const log of ['', '-wal']) copyFileSync(file + log, copied + log)
    await store.close()
    symlinkSync(copied, linkToCopied)
    restoreDatabase(linkToCopied, file, { keepTokens: true, at: at(9) })
    const restored = await createSqliteStore({ file })
    expect(await restored.listOrganizations()).toHaveLength(1)
    await restored.close()
  })
})
