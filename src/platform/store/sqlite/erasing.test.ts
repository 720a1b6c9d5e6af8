import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { readSearchTerms } from '../../testing/store/readSearchTerms.ts'
import { at, createTestTenants, newContact, newRequest, signIn } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { createSqliteStore } from './sqliteStore.ts'

it('leaves nothing of a deleted contact in the files after a purge, when it closes, while another process has the database open', async () => {
  const file = join(createTemporaryFolder(), 'store.db')
  const server = await createSqliteStore({ file })
  const { ours } = await createTestTenants(server)
  const { scope, send } = await signIn(server, ours, 'Zyxwvu Qjkpflm')
  const keyed = newContact('Keyed Wvutsrq')
  await server.createContact(ours, keyed, newRequest({ bodyHash: 'the hash of the body' }))
  await server.setContactAttributes(scope, { plan: 'of the rich' })
  await send('a matter of the heart', { claimed: { page: 'of the poor' } })
  const db = new DatabaseSync(file)
  expect(readSearchTerms(db).has('zyx')).toBe(true)
  const commandLine = await createSqliteStore({ file })
  await commandLine.deleteContact(scope, at(5))
  await commandLine.deleteContact({ ...ours, contactId: keyed.id }, at(5))
  await commandLine.purge({ now: at(6), endedBefore: at(0) })
  await commandLine.close()
  const isInFiles = (text: string) => [file, `${file}-wal`].some(path => readFileSync(path).includes(text))
  expect(isInFiles('Acme')).toBe(true)
  const texts = ['Qjkpflm', 'a matter of the heart', 'of the rich', 'of the poor', 'Wvutsrq', 'the hash of the body']
  expect(texts.filter(isInFiles)).toEqual([])
  expect(readSearchTerms(db).has('zyx')).toBe(false)
  db.close()
  await server.close()
})
