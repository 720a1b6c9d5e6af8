import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestTenants, outcomeOf } from '../testing/testTenants.ts'

// What `natter conformance` and the reference model check is not repeated here.

const mail = () => `${randomUUID()}@example.com`

it('a taken email names the other contact only within the same bot, when it is created and in an upsert', async () => {
  const { ours, sibling, otherOrganization } = await createTestTenants()
  const { id, email } = await ours.createContact()
  const json = { name: 'Eve', email: email.replace('example.com', 'EXAMPLE.com') }
  const same = await ours.call('PUT', '/contacts', { json })
  expect(await same.json()).toMatchObject({ code: 'email_taken', conflict: { field: 'email', contactId: id } })
  const created = await (await sibling.call('PUT', '/contacts', { json })).text()
  const data = [{ name: 'New', email: mail() }, json, { email: mail() }]
  const upserted = await (await sibling.call('PATCH', '/contacts', { json: { data } })).text()
  for (const body of [created, upserted]) {
    expect(body).toContain('email_taken')
    expect(body).not.toMatch(new RegExp(`conflict|${id}`))
  }
  expect(JSON.parse(upserted)).toMatchObject({
    code: 'invalid_request',
    errors: [
      { pointer: '/data/1/email', code: 'email_taken', index: 1 },
      { pointer: '/data/2/name', code: 'missing', index: 2 },
    ],
  })
  expect(await outcomeOf(otherOrganization.call('PUT', '/contacts', { json }))).toBe('201')
})

it('an upsert reports the first hundred entries that the store refuses', async () => {
  const { ours } = await createTestTenants()
  const json = { data: Array.from({ length: 150 }, () => ({ email: mail() })) }
  const { errors } = (await (await ours.call('PATCH', '/contacts', { json })).json()) as { errors: unknown[] }
  expect(errors).toHaveLength(100)
})

it('a domain without an IDNA form is refused, with a pointer', async () => {
  const { ours } = await createTestTenants()
  const json = { name: 'Ada', email: `ada@${'ü'.repeat(60)}.example` }
  const created = await ours.call('PUT', '/contacts', { json })
  const data = [{ name: 'Ok', email: mail() }, json]
  const upserted = await ours.call('PATCH', '/contacts', { json: { data } })
  const error = { code: 'invalid_format' }
  expect(await created.json()).toMatchObject({ code: 'invalid_request', errors: [{ ...error, pointer: '/email' }] })
  expect(await upserted.json()).toMatchObject({ errors: [{ ...error, pointer: '/data/1/email', index: 1 }] })
})
