import { expect, it, onTestFinished } from 'vitest'
import { createTestTenants, newContact } from '../../testing/store/storeTenants.ts'
import { createSqliteStore } from './sqliteStore.ts'

it('writes what comes after large upserts before the last of them', async () => {
  const store = await createSqliteStore({ file: ':memory:' })
  onTestFinished(() => store.close())
  const { ours } = await createTestTenants(store)
  const written: string[] = []
  const upsert = (name: string) =>
    store
      .upsertContacts(
        ours,
        Array.from({ length: 1000 }, () => newContact(name)),
      )
      .then(() => written.push(name))
  const upserts = [upsert('first'), upsert('second')]
  await store.createContact(ours, newContact('Ada')).then(() => written.push('contact'))
  await Promise.all(upserts)
  expect(written.indexOf('contact')).toBeLessThan(written.indexOf('second'))
})
