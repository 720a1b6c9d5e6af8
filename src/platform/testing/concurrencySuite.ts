import { beforeEach, describe, expect, it } from 'vitest'
import { report, scale } from '../../testScale.ts'
import type { Store } from '../store/store.ts'
import { shuffled } from './store/storeTenants.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from './testTenants.ts'

const counted = (outcomes: string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(outcomes)].map(outcome => [outcome, outcomes.filter(other => other === outcome).length]),
  )

/** Concurrent requests on any store. `open` resolves to an empty one. */
export function describeConcurrency(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let tenants: TestTenants
    beforeEach(async () => {
      tenants = await createTestTenants({ log: () => {}, store: await open() })
    })

    it('create one email: one 201, ninety-nine 400', async () => {
      const attempts = Array.from({ length: 100 }, async (_, index) => {
        const email = index % 2 ? 'Ada@Example.com' : 'Ada@EXAMPLE.COM'
        const testBot = index % 3 ? tenants.ours : tenants.sibling
        return outcomeOf(testBot.call('PUT', '/contacts', { json: { name: `Ada ${index}`, email } }))
      })
      expect(counted(await Promise.all(attempts))).toEqual({ '201': 1, '400 email_taken': 99 })
    })

    it('create one email under one key: all get the same contact', async () => {
      const options = { json: { name: 'Ada', email: 'ada@example.com' }, headers: { 'idempotency-key': '"once"' } }
      const attempts = Array.from({ length: 100 }, () => dataOf(tenants.ours.call('PUT', '/contacts', options)))
      expect(new Set((await Promise.all(attempts)).map(data => JSON.stringify(data))).size).toBe(1)
    })

    it('update different contacts to one email: one of them gets it', async () => {
      const contacts = await Promise.all(Array.from({ length: 30 }, () => tenants.ours.createContact()))
      const attempts = contacts.map(async ({ id }) =>
        outcomeOf(tenants.ours.call('PATCH', `/contacts/${id}`, { json: { email: 'one@example.com' } })),
      )
      expect(counted(await Promise.all(attempts))).toEqual({ '200': 1, '400 email_taken': 29 })
    })

    it('revoke one token: all return 204, and afterwards it cannot be used', async () => {
      const token = await tenants.ours.contactToken((await tenants.ours.createContact()).id)
      const use = async () => outcomeOf(tenants.ours.call('GET', '/widget/session', { token }))
      const revocations = Array.from({ length: 20 }, async () => {
        const revoked = await outcomeOf(tenants.ours.call('DELETE', `/auth/contacts/${token}`))
        return [revoked, await use()].join()
      })
      expect(counted(await Promise.all(revocations))).toEqual({ '204,401 token_revoked': 20 })
    })

    it('upsert shuffled, overlapping entries: the result is as if they ran one after the other', async () => {
      const { upserts, entries } = scale.concurrentUpserts
      const emails = Array.from({ length: Math.ceil(entries * 1.5) }, (_, index) => `person${index}@example.com`)
      const writers = Array.from({ length: upserts }, (_, writer) => ({
        writer,
        emails: shuffled(emails, writer).slice(0, entries),
      }))
      const answers = await Promise.all(
        writers.map(async ({ writer, emails }) => {
          const data = emails.map(email => ({ name: `Writer ${writer}`, email }))
          return await dataOf<{ id: string }[]>(tenants.ours.call('PATCH', '/contacts', { json: { data } }))
        }),
      )
      const idOf = new Map<string, string>()
      for (const { writer, emails } of writers)
        for (const [index, email] of emails.entries()) {
          const id = answers[writer]?.[index]?.id ?? ''
          expect(idOf.get(email) ?? id).toBe(id)
          idOf.set(email, id)
        }

      const lastOf = new Map<string, number>()
      for (const [email, id] of idOf) {
        const { name } = await dataOf<{ name: string }>(tenants.ours.call('GET', `/contacts/${id}`))
        lastOf.set(email, Number(name.slice('Writer '.length)))
      }
      expect(isSerial(writers, lastOf)).toBe(true)
      const found = (await (await tenants.ours.call('POST', '/contacts')).json()) as { pagination: { total: number } }
      expect(found.pagination.total).toBe(idOf.size)
      report(`${upserts} concurrent upserts of ${entries} entries`)
    }, 600_000)
  })
}

/** Whether there is an order of the writers in which each email's last writer is the one that is stored. */
function isSerial(writers: { writer: number; emails: string[] }[], lastOf: Map<string, number>): boolean {
  const left = new Set(writers)
  while (left.size > 0) {
    const last = [...left].find(({ writer, emails }) =>
      // A writer can come last if everything it wrote is stored, or was overwritten by a writer already placed after
      // it.
      emails.every(
        email => lastOf.get(email) === writer || ![...left].some(other => other.writer === lastOf.get(email)),
      ),
    )
    if (!last) return false
    left.delete(last)
  }
  return true
}
