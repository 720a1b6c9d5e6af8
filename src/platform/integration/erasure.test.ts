import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

it('the kept keys of an upsert and of a refused request give no guess about a deleted person away', async () => {
  const file = join(createTemporaryFolder(), 'store.db')
  const { ours, close } = await createTestTenants({ file })
  const ada = { name: 'Ada Lovelace', email: 'ada@shop.example' }
  const keyed = (key: string) => ({ 'idempotency-key': key })
  const upsert = ours.call('PATCH', '/contacts', { json: { data: [ada] }, headers: keyed('upsert') })
  const [contact] = await dataOf<{ id: string }[]>(upsert)
  const refused = ours.call('PUT', '/contacts', { json: ada, headers: keyed('create') })
  expect(await outcomeOf(refused)).toBe('400 email_taken')
  expect((await ours.call('DELETE', `/contacts/${contact?.id}`)).status).toBe(204)
  await close()

  const db = new DatabaseSync(file, { readOnly: true })
  const keys = db.prepare('SELECT * FROM idempotency').all()
  db.close()
  expect(keys).toHaveLength(2)
  const guesses = [ada.name, ada.email, hash(ada), hash([ada]), hash({ data: [ada] })]
  expect(guesses.filter(guess => JSON.stringify(keys).includes(guess))).toEqual([])
})
