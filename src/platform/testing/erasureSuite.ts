import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Store } from '../store/store.ts'
import { createTestTenants, dataOf, outcomeOf } from './testTenants.ts'

export interface OpenedStore {
  store: Store
  /** All rows of the table of idempotency keys. */
  readKeys(): Promise<object[]>
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

export function describeErasure(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    it('the kept keys of an upsert and of a refused request give no guess about a deleted person away', async () => {
      const { store, readKeys } = await open()
      const { ours, close } = await createTestTenants({ store })
      const ada = { name: 'Ada Lovelace', email: 'ada@shop.example' }
      const keyed = (key: string) => ({ 'idempotency-key': key })
      const upserted = await ours.call('PATCH', '/contacts', { json: { data: [ada] }, headers: keyed('upsert') })
      const [contact] = (await dataOf(upserted)) as { id: string }[]
      const refused = await ours.call('PUT', '/contacts', { json: ada, headers: keyed('create') })
      expect(await outcomeOf(refused)).toBe('400 email_taken')
      expect((await ours.call('DELETE', `/contacts/${contact?.id}`)).status).toBe(204)
      const keys = await readKeys()
      expect(keys).toHaveLength(2)
      const kept = JSON.stringify(keys)
      const guesses = [ada.name, ada.email, hash(ada), hash([ada]), hash({ data: [ada] })]
      expect(guesses.filter(guess => kept.includes(guess))).toEqual([])
      await close()
    })
  })
}
