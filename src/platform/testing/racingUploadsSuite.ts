import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { scale } from '../../testScale.ts'
import { timestamp } from '../domain/time.ts'
import { line, startFiles } from './files/startFiles.ts'
import type { TestDatabase } from './testDatabases.ts'
import { dataOf, outcomeOf } from './testTenants.ts'

const rounds = scale.races
const content = new Uint8Array(Buffer.concat(Array.from({ length: 10 }, () => line)))

/** Uploads that meet another request about the same file, on any database. */
export async function describeRacingUploads(name: string, create: () => Promise<TestDatabase>): Promise<void> {
  const { ours, store, clock, ask, count } = await startFiles(await create())
  const put = async (token: string, id: string) => outcomeOf(ask('PUT', token, id, content))

  describe(name, () => {
    it('that are sent several times at the same moment with one id are stored once', async () => {
      for (let round = 0; round < rounds; round++) {
        const [token, id] = [await ours.visitorToken(), randomUUID()]
        const before = await count()
        const outcomes = await Promise.all(Array.from({ length: 4 }, () => put(token, id)))
        expect(outcomes.filter(outcome => outcome === '201')).toHaveLength(1)
        for (const outcome of outcomes) expect(outcome).toMatch(/^(200|201|409 id_reused)$/)
        expect(await count()).toEqual({ files: before.files + 1, parts: before.parts + 3 })
        expect((await (await ask('GET', token, id)).arrayBuffer()).byteLength).toBe(content.length)
      }
    })

    it('that are still arriving while their contact is deleted leave nothing', async () => {
      await store.purge({ now: timestamp(clock.now()), endedBefore: timestamp(0) })
      const before = await count()
      for (let round = 0; round < rounds; round++) {
        const { id: contactId } = await ours.createContact()
        const token = await ours.contactToken(contactId)
        // With so many, the files are deleted in several transactions.
        for (let count = 0; count < 7; count++) expect(await put(token, randomUUID())).toBe('201')
        const json = { id: randomUUID(), text: 'Hello' }
        await dataOf(ours.call('POST', '/widget/messages', { token, json }))
        const uploads = Array.from({ length: 3 }, () => put(token, randomUUID()))
        const deleted = await ours.call('DELETE', `/contacts/${contactId}`)
        expect(deleted.status).toBe(204)
        for (const outcome of await Promise.all(uploads)) expect(outcome).toMatch(/^(201|401 contact_deleted)$/)
        expect(await count()).toEqual(before)
      }
    })
  })
}
