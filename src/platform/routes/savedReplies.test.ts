import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { maxSavedReplies } from '../../contract/deskLimits.ts'
import { createMember, deskCalls, type TestMember } from '../testing/createMember.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
let ada: TestMember
let nora: TestMember
beforeEach(async () => {
  tenants = await createTestTenants()
  ada = await createMember(tenants, { role: 'admin', name: 'Ada' })
  nora = await createMember(tenants)
})

const own = { title: 'Shipping', text: 'Hello {{name|there}}', isShared: false }
const shared = { ...own, isShared: true }
const save = ({ call }: TestMember, json: object, id: string = randomUUID()) =>
  outcomeOf(call('PUT', `/saved-replies/${id}`, { json }))
const listOf = ({ call }: TestMember) => dataOf<{ id: string }[]>(call('GET', '/saved-replies'))

it('a member writes saved replies of its own, and an admin those of the team', async () => {
  const [ofNora, ofTeam] = [randomUUID(), randomUUID()]
  expect(await save(nora, own, ofNora)).toBe('200')
  expect(await save(ada, shared, ofTeam)).toBe('200')
  expect(await save(nora, { ...own, title: 'Refunds' }, ofNora)).toBe('200')
  expect(await listOf(nora)).toMatchObject([
    { id: ofNora, title: 'Refunds', text: own.text, isShared: false },
    { id: ofTeam, title: 'Shipping', isShared: true },
  ])
  expect(await outcomeOf(nora.call('DELETE', `/saved-replies/${ofNora}`))).toBe('204')
  expect(await listOf(nora)).toMatchObject([{ id: ofTeam }])
})

it('what a member may not write is the one 404, and nobody is nobody', async () => {
  const [ofNora, ofTeam] = [randomUUID(), randomUUID()]
  await save(nora, own, ofNora)
  await save(ada, shared, ofTeam)
  const foreign = { organizationId: tenants.otherOrganization.bot.organizationId, role: 'admin' } as const
  const eve = await createMember(tenants, foreign)
  const outcomes = await Promise.all([
    save(nora, shared),
    save(nora, own, ofTeam),
    save(nora, own, 'x'),
    ...[ada, eve].flatMap(member => [
      save(member, own, ofNora),
      outcomeOf(member.call('DELETE', `/saved-replies/${ofNora}`)),
    ]),
    outcomeOf(nora.call('DELETE', `/saved-replies/${ofTeam}`)),
    outcomeOf(eve.call('DELETE', `/saved-replies/${ofTeam}`)),
    outcomeOf(nora.call('DELETE', '/saved-replies/x')),
  ])
  expect(new Set(outcomes)).toEqual(new Set(['404 not_found']))
  expect(await listOf(eve)).toEqual([])
  const nobody = { ...nora, call: deskCalls(tenants.platform) }
  expect(await save(nobody, own)).toBe('401 unauthorized')
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', `/${ofNora}`],
  ] as const)
    expect(await outcomeOf(nobody.call(method, `/saved-replies${path}`))).toBe('401 unauthorized')
})

it('a saved reply has a title and a text, and there are not too many', async () => {
  for (const wrong of [
    { title: '' },
    { title: 'a\nb' },
    { title: 'x'.repeat(101) },
    { text: ' ' },
    { text: 'x'.repeat(4001) },
  ])
    expect(await save(nora, { ...own, ...wrong })).toBe('400 invalid_request')
  const rows = Array.from({ length: maxSavedReplies }, () => ({
    ...{ ...own, id: randomUUID(), organizationId: '', memberId: null, updatedAt: '' },
  }))
  tenants.store.listSavedReplies = async () => rows
  expect(await save(nora, own)).toBe('400 invalid_request')
})
