import { dataOf, expectEqual, expectHeader, expectProblem, expectStatus, listOf } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })
const create = (place: TestTarget, key: string, json: unknown) =>
  place.request('PUT', '/contacts', { json, headers: keyed(key) })
const createToken = (place: TestTarget, key: string, json: unknown) =>
  place.request('PUT', '/auth/contacts', { json, headers: keyed(key) })
const session = (place: TestTarget, token: unknown) =>
  place.request('GET', '/widget/session', { authorization: `Bearer ${token}` })

/** The header Idempotency-Key (decisions 1). */
export const idempotencyRules: Rule[] = [
  ours('1', 'create with the key of an earlier create answers as that one did', async place => {
    const [key, json] = [crypto.randomUUID(), { name: 'Ada', email: place.freshEmail() }]
    const first = await create(place, key, json)
    const second = await create(place, key, json)
    for (const reply of [first, second]) expectStatus(reply, 201)
    expectHeader(second, 'idempotent-replayed', /^true$/)
    expectEqual('the header of the first', first.headers.get('idempotent-replayed'), null)
    expectEqual('the contact', dataOf(second), dataOf(first))
  }),
  ours('1', 'the key of an earlier request with another body is 422', async place => {
    const key = crypto.randomUUID()
    expectStatus(await create(place, key, { name: 'Ada', email: place.freshEmail() }), 201)
    const other = await create(place, key, { name: 'Ada', email: place.freshEmail() })
    expectProblem(other, 422, 'idempotency_key_reused')
  }),
  ours('1', 'a refusal is not kept: the same key may succeed later', async place => {
    const [key, taken] = [crypto.randomUUID(), await place.newContact()]
    const json = { name: 'Ada', email: taken.email }
    expectProblem(await create(place, key, json), 400, 'email_taken')
    expectStatus(await place.request('DELETE', `/contacts/${taken.id}`), 204)
    expectStatus(await create(place, key, json), 201)
  }),
  ours('1', 'upsert with the key of an earlier upsert answers as that one did', async place => {
    const [key, email] = [crypto.randomUUID(), place.freshEmail()]
    const asking = { json: { data: [{ name: 'Ada', email }] }, headers: keyed(key) }
    const first = await place.request('PATCH', '/contacts', asking)
    const second = await place.request('PATCH', '/contacts', asking)
    for (const reply of [first, second]) expectStatus(reply, 200)
    expectHeader(second, 'idempotent-replayed', /^true$/)
    expectEqual('the results', listOf(second), listOf(first))
  }),
  ours('1', 'a repeated create token revokes the first and issues another', async place => {
    const [key, { id }] = [crypto.randomUUID(), await place.newContact()]
    const first = await createToken(place, key, { id })
    const second = await createToken(place, key, { id })
    for (const reply of [first, second]) expectStatus(reply, 201)
    expectProblem(await session(place, dataOf(first)['token']), 401, 'token_revoked')
    expectStatus(await session(place, dataOf(second)['token']), 200)
  }),
]
