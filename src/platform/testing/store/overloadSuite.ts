import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { monotonicMs, runInContext } from '../../store/callContext.ts'
import { type BotScope, type Store, StoreUnavailableError } from '../../store/store.ts'
import { search } from './listingSuite.ts'
import { at, createTestTenants, newContact, newHash } from './storeTenants.ts'

export interface SlowStore {
  /** Its large upserts end in the order in which they begin. */
  store: Store
  /** Makes the engine take no writes until the returned function is called. */
  block(): Promise<() => Promise<void>>
}

const contactsFor = (count: number, phone = '') => Array.from({ length: count }, () => newContact('Ada', { phone }))

/** A write that waits for a place like any other, and is quick once the engine takes writes again. */
const changeNobody = (store: Store, scope: BotScope) =>
  store.updateContact({ ...scope, contactId: 'nobody' }, { phone: '1', updatedAt: at(2) })

/** Makes calls whose caller waits for this long. */
const callAs = <Result>(owner: string | null, call: () => Result, ms = 100_000): Result =>
  runInContext({ owner, deadline: monotonicMs() + ms }, call)

/** What every store does while its engine is slow; `open` resolves to an empty one. */
export function describeOverload(name: string, open: () => Promise<SlowStore>): void {
  describe(name, { timeout: 120_000 }, () => {
    async function start() {
      const slow = await open()
      onTestFinished(() => slow.store.close())
      return { ...slow, ...(await createTestTenants(slow.store)) }
    }
    const countOf = async (store: Store, scope: BotScope) => (await search(store, scope)).total

    it('never applies an update or an upsert later that was refused, over what was written since', async () => {
      const { store, block, ours } = await start()
      const contact = newContact('Ada')
      await store.createContact(ours, contact)
      const scope = { ...ours, contactId: contact.id }
      const unblock = await block()
      const write = () => [
        store.updateContact(scope, { phone: '111', updatedAt: at(2) }),
        store.upsertContacts(ours, [{ ...contact, phone: '111' }, ...contactsFor(150, '111')]),
      ]
      const calls = callAs(ours.organizationId, write, 100)
      const refused = calls.map(call => expect(call).rejects.toThrow(StoreUnavailableError))
      await pause(300)
      await unblock()
      await Promise.all(refused)
      await store.updateContact(scope, { phone: '222', updatedAt: at(3) })
      expect(await store.findContact(scope)).toMatchObject({ phone: '222', updatedAt: at(3) })
      expect(await countOf(store, ours)).toBe(1)
      expect(store.queueDepth()).toBe(0)
    })

    it('refuses at once what exceeds the bound of an organization, of 5000 writes at the same moment, and loses none of the others', async () => {
      const { store, block, ours } = await start()
      const unblock = await block()
      const outcomes = { refused: 0, written: 0 }
      const create = () => callAs(ours.organizationId, () => store.createContact(ours, newContact('Ada')))
      const writes = Array.from({ length: 5000 }, () =>
        create().then(
          () => outcomes.written++,
          error => {
            expect(error).toBeInstanceOf(StoreUnavailableError)
            outcomes.refused++
          },
        ),
      )
      await new Promise(setImmediate)
      const depth = store.queueDepth()
      expect(depth).toBeGreaterThan(1000)
      expect(depth).toBeLessThan(1300)
      expect(outcomes).toEqual({ refused: 5000 - depth, written: 0 })
      await unblock()
      await Promise.all(writes)
      expect(outcomes).toEqual({ refused: 5000 - depth, written: depth })
      expect(await countOf(store, ours)).toBe(depth)
    })

    it('creates the contact of one organization among the first while another keeps all of its places taken', async () => {
      const { store, block, ours, otherOrganization } = await start()
      const unblock = await block()
      const done: string[] = []
      const note = (scope: BotScope, write: () => Promise<unknown>) =>
        callAs(scope.organizationId, () =>
          write().then(
            () => done.push(scope.organizationId),
            error => void expect(error).toBeInstanceOf(StoreUnavailableError),
          ),
        )
      const flood = Array.from({ length: 3000 }, () => note(ours, () => changeNobody(store, ours)))
      const other = note(otherOrganization, () => store.createContact(otherOrganization, newContact('Ada')))
      await new Promise(setImmediate)
      await unblock()
      await Promise.all([...flood, other])
      expect(done.length).toBeGreaterThan(1000)
      expect(done.indexOf(otherOrganization.organizationId)).toBeLessThan(300)
    })

    it("answers the platform's own calls while organizations keep all places taken", async () => {
      const { store, block, ours, otherOrganization, sibling, otherOrganizationSibling } = await start()
      const unblock = await block()
      const writes = [ours, otherOrganization, sibling, otherOrganizationSibling].flatMap(scope =>
        Array.from({ length: 1500 }, () => callAs(scope.botId, () => changeNobody(store, scope).catch(() => {}))),
      )
      await new Promise(setImmediate)
      const depth = store.queueDepth()
      expect(depth).toBeGreaterThanOrEqual(2000)
      // However many organizations there are.
      expect(depth).toBeLessThan(2300)
      await callAs(null, () => store.ping())
      await callAs(null, () => store.sweep({ conversations: [], hashes: [newHash()], now: at(5) }))
      // They have not waited until the others gave up.
      expect(store.queueDepth()).toBe(depth)
      await unblock()
      await Promise.all(writes)
    })

    it('writes the upsert of one organization among the first while another keeps all of its places taken', async () => {
      const { store, block, ours, otherOrganization } = await start()
      const unblock = await block()
      const done: string[] = []
      const upsert = (scope: BotScope, who: string, count: number) =>
        callAs(scope.organizationId, () => store.upsertContacts(scope, contactsFor(count)).then(() => done.push(who)))
      // Larger than the other's, which would otherwise not always end first of those that run at once.
      const flood = Array.from({ length: 12 }, () => upsert(ours, 'ours', 600))
      const other = upsert(otherOrganization, 'other', 101)
      await unblock()
      await Promise.all([...flood, other])
      // Two of ours may have begun, and ours was next.
      expect(done.indexOf('other')).toBeLessThanOrEqual(3)
    })
  })
}
