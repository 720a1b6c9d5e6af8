import * as expect from './expect.ts'
import { dataOf, type Reply } from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const unknownId = '00000000-0000-7000-8000-000000000000'
const create = (target: TestTarget, json: unknown, method = 'PUT') => target.request(method, '/auth/contacts', { json })
const revoke = (target: TestTarget, token: string) => target.request('DELETE', `/auth/contacts/${token}`)
const session = (target: TestTarget, token: string) =>
  target.request('GET', '/widget/session', { authorization: `Bearer ${token}` })

function expectToken(reply: Reply): string {
  expect.success(reply)
  const token = String(dataOf(reply)['token'])
  expect.that(/^c:[0-9a-f]+$/i.test(token), 'a token like c:<hex>', reply)
  return token
}

/** One calendar year later; there is no 29 February in the next one. */
function aYearAfter(timestamp: string): string {
  const date = new Date(timestamp)
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toISOString()
}

/** Contact tokens. */
export const contactTokenRules: Rule[] = [
  spec('4.1', 'create a contact token accepts the id of a contact', async target => {
    const { id } = await target.newContact()
    expectToken(await create(target, { id }))
  }),
  spec('4.1', 'create a contact token accepts the email of a contact', async target => {
    const { email } = await target.newContact()
    expectToken(await create(target, { email }))
  }),
  spec('4.1', 'create a contact token accepts form fields', async target => {
    const { email } = await target.newContact()
    expectToken(await target.request('PUT', '/auth/contacts', { form: { email } }))
  }),
  spec('4.1', 'POST on the same path creates a contact token too', async target => {
    const { id } = await target.newContact()
    expectToken(await create(target, { id }, 'POST'))
  }),
  spec('2.2', 'a contact token is valid for one year from its creation', async target => {
    const { id } = await target.newContact()
    const reply = await create(target, { id })
    expect.success(reply)
    const { createdAt, expiresAt } = dataOf(reply)
    const days = (Date.parse(String(expiresAt)) - Date.parse(String(createdAt))) / 86_400_000
    expect.that(days >= 365 && days <= 366, 'expiresAt one year after createdAt', `${createdAt} to ${expiresAt}`)
  }),
  spec('4.1', 'revoke a contact token returns 204 without a body', async target => {
    const { id } = await target.newContact()
    expect.empty(await revoke(target, expectToken(await create(target, { id }))), 204)
  }),
  ours('responses', 'create a contact token returns 201', async target => {
    const { id } = await target.newContact()
    for (const method of ['PUT', 'POST']) expect.status(await create(target, { id }, method), 201)
  }),
  ours('tokens', 'a contact token is c: and 64 lower-case hex digits, and no two are equal', async target => {
    const { id } = await target.newContact()
    const tokens = [await target.newToken(id), await target.newToken(id)]
    for (const token of tokens) expect.that(/^c:[0-9a-f]{64}$/.test(token), 'c: and 64 hex digits', 'another form')
    expect.that(tokens[0] !== tokens[1], 'two tokens', 'the same twice')
  }),
  ours('tokens', 'a contact token expires on the same day of the next year', async target => {
    const { id } = await target.newContact()
    const { createdAt, expiresAt } = dataOf(await create(target, { id }))
    expect.equal('expiresAt', expiresAt, aYearAfter(String(createdAt)))
  }),
  ours('tokens', 'expiresInSeconds shortens the life of a token, to 300 s at least; forms get 400', async target => {
    const { id, email } = await target.newContact()
    for (const seconds of [300, 31_536_000]) {
      const { createdAt, expiresAt } = dataOf(await create(target, { id, expiresInSeconds: seconds }))
      expect.equal('seconds', (Date.parse(String(expiresAt)) - Date.parse(String(createdAt))) / 1000, seconds)
    }
    for (const wrong of [299, 31_536_001, '300', null, 300.5]) {
      const refused = await create(target, { id, expiresInSeconds: wrong })
      expect.invalid(refused, '/expiresInSeconds')
    }
    const form = await target.request('PUT', '/auth/contacts', { form: { email, expiresInSeconds: '300' } })
    expect.invalid(form, '/expiresInSeconds')
  }),
  ours('tokens', 'create a contact token returns 400 without id and email, 404 for unknown ones', async target => {
    expect.problem(await create(target, {}), 400, 'invalid_request')
    expect.problem(await target.request('PUT', '/auth/contacts'), 400, 'invalid_request')
    expect.problem(await create(target, { id: '', email: '' }), 400, 'invalid_request')
    for (const id of [unknownId, 'x']) expect.problem(await create(target, { id }), 404, 'not_found')
    expect.problem(await create(target, { email: target.freshEmail() }), 404, 'not_found')
  }),
  ours('tokens', 'an empty id or email counts as not given', async target => {
    const { id, email } = await target.newContact()
    expect.status(await target.request('PUT', '/auth/contacts', { form: { id: '', email } }), 201)
    expect.status(await target.request('PUT', '/auth/contacts', { form: { id, email: '' } }), 201)
  }),
  ours('tokens', 'id and email of different contacts are refused; those of one contact are accepted', async target => {
    const [first, second] = [await target.newContact(), await target.newContact()]
    expect.problem(await create(target, { id: first.id, email: second.email }), 400, 'contact_mismatch')
    expect.status(await create(target, { id: first.id, email: first.email.toUpperCase() }), 201)
  }),
  ours('tokens', 'revoking a token again, or an unknown one, also returns 204', async target => {
    const { id } = await target.newContact()
    const token = await target.newToken(id)
    for (let time = 1; time <= 2; time++) expect.empty(await revoke(target, token), 204)
    for (const unknown of [`c:${'0'.repeat(64)}`, 'x']) expect.empty(await revoke(target, unknown), 204)
  }),
  ours('tokens', 'a revoked token is refused from the next request on; c%3A in a path is c:', async target => {
    const { id } = await target.newContact()
    const [first, second] = [await target.newToken(id), await target.newToken(id)]
    expect.status(await session(target, first), 200)
    expect.status(await revoke(target, first.replace(':', '%3A')), 204)
    const refused = await session(target, first)
    expect.problem(refused, 401, 'token_revoked')
    expect.header(refused, 'www-authenticate', /invalid_token/)
    expect.status(await session(target, second), 200)
  }),
  ours('tokens', 'signing out everywhere revokes every token of the contact', async target => {
    const [{ id }, other] = [await target.newContact(), await target.newContact()]
    const [first, second, otherToken] = [
      await target.newToken(id),
      await target.newToken(id),
      await target.newToken(other.id),
    ]
    expect.empty(await target.request('DELETE', `/contacts/${id}/tokens`), 204)
    for (const token of [first, second]) expect.problem(await session(target, token), 401, 'token_revoked')
    expect.status(await session(target, otherToken), 200)
    expect.problem(await target.request('DELETE', `/contacts/${unknownId}/tokens`), 404, 'not_found')
  }),
  ours('contacts', 'deleting a contact ends its tokens, even if a new contact has the same email', async target => {
    const { id, email } = await target.newContact()
    const token = await target.newToken(id)
    expect.status(await target.request('DELETE', `/contacts/${id}`), 204)
    expect.problem(await session(target, token), 401, 'contact_deleted')
    await target.newContact({ email })
    expect.problem(await session(target, token), 401, 'contact_deleted')
  }),
  ours('responses', 'no widget endpoint accepts an organization token', async target => {
    expect.problem(await session(target, target.token), 403, 'insufficient_scope')
  }),
]
