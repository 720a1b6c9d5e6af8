import * as expect from './expect.ts'
import { dataOf, listOf } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })
const create = (target: TestTarget, key: string, json: unknown) =>
  target.request('PUT', '/contacts', { json, headers: keyed(key) })
const createToken = (target: TestTarget, key: string, json: unknown) =>
  target.request('PUT', '/auth/contacts', { json, headers: keyed(key) })
const session = (target: TestTarget, token: unknown) =>
  target.request('GET', '/widget/session', { authorization: `Bearer ${token}` })

/** The header Idempotency-Key. */
export const idempotencyRules: Rule[] = [
  ours('requests', 'a create with the key of an earlier create returns the same response', async target => {
    const [key, json] = [crypto.randomUUID(), { name: 'Ada', email: target.freshEmail() }]
    const first = await create(target, key, json)
    const second = await create(target, key, json)
    for (const reply of [first, second]) expect.status(reply, 201)
    expect.header(second, 'idempotent-replayed', /^true$/)
    expect.equal('the header of the first', first.headers.get('idempotent-replayed'), null)
    expect.equal('the contact', dataOf(second), dataOf(first))
  }),
  ours('requests', 'a key that was used with another body returns 422', async target => {
    const key = crypto.randomUUID()
    expect.status(await create(target, key, { name: 'Ada', email: target.freshEmail() }), 201)
    const other = await create(target, key, { name: 'Ada', email: target.freshEmail() })
    expect.problem(other, 422, 'idempotency_key_reused')
  }),
  ours('requests', 'a failed request is not stored: its key can succeed later', async target => {
    const [key, taken] = [crypto.randomUUID(), await target.newContact()]
    const json = { name: 'Ada', email: taken.email }
    expect.problem(await create(target, key, json), 400, 'email_taken')
    expect.status(await target.request('DELETE', `/contacts/${taken.id}`), 204)
    expect.status(await create(target, key, json), 201)
  }),
  ours('requests', 'an upsert with the key of an earlier upsert returns the same response', async target => {
    const [key, email] = [crypto.randomUUID(), target.freshEmail()]
    const options = { json: { data: [{ name: 'Ada', email }] }, headers: keyed(key) }
    const first = await target.request('PATCH', '/contacts', options)
    const second = await target.request('PATCH', '/contacts', options)
    for (const reply of [first, second]) expect.status(reply, 200)
    expect.header(second, 'idempotent-replayed', /^true$/)
    expect.equal('the results', listOf(second), listOf(first))
  }),
  ours('requests', 'a repeated update does not undo a later one', async target => {
    const { id } = await target.newContact()
    const update = (phone: string, key: string) =>
      target.request('PATCH', `/contacts/${id}`, { json: { phone }, headers: keyed(key) })
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    expect.status(await update('111', first), 200)
    expect.status(await update('222', second), 200)
    const again = await update('111', first)
    expect.status(again, 200)
    expect.header(again, 'idempotent-replayed', /^true$/)
    expect.equal('the phone', dataOf(await target.request('GET', `/contacts/${id}`))['phone'], '222')
  }),
  ours('requests', 'a repeated sign-out of a contact does not revoke a token that was created since', async target => {
    const [headers, { id }] = [keyed(crypto.randomUUID()), await target.newContact()]
    const signOut = () => target.request('DELETE', `/contacts/${id}/tokens`, { headers })
    expect.status(await signOut(), 204)
    const token = await createToken(target, crypto.randomUUID(), { id })
    const again = await signOut()
    expect.status(again, 204)
    expect.header(again, 'idempotent-replayed', /^true$/)
    expect.status(await session(target, dataOf(token)['token']), 200)
  }),
  ours('requests', 'a repeated hand-back does not end the pause of an agent who has written since', async target => {
    const [headers, { id }] = [keyed(crypto.randomUUID()), await target.newContact()]
    const post = (json: unknown, headers = {}) => target.request('POST', `/contacts/${id}/messages`, { json, headers })
    const write = () => post({ id: crypto.randomUUID(), text: 'I am here' })
    const handBack = () => post({ handBack: true }, headers)
    expect.status(await write(), 201)
    expect.status(await handBack(), 204)
    expect.status(await write(), 201)
    const again = await handBack()
    expect.status(again, 204)
    expect.header(again, 'idempotent-replayed', /^true$/)
    const conversations = listOf(await target.request('GET', '/conversations?limit=100'))
    const paused = conversations.find(({ contact }) => (contact as { id?: unknown } | null)?.id === id)
    expect.equal('whether the agent’s pause goes on', typeof paused?.['pausedUntil'], 'string')
  }),
  ours('requests', 'an attempt to create a token that arrives after a later one changes nothing', async target => {
    const [key, { id }] = [crypto.randomUUID(), await target.newContact()]
    const attempt = (number: string) =>
      target.request('PUT', '/auth/contacts', {
        json: { id },
        headers: { ...keyed(key), 'idempotency-attempt': number },
      })
    const later = await attempt('2')
    expect.status(later, 201)
    expect.problem(await attempt('1'), 409, 'attempt_superseded')
    expect.status(await session(target, dataOf(later)['token']), 200)
  }),
  ours('requests', 'a delete with the key of an earlier delete returns the same response', async target => {
    const [headers, { id }] = [keyed(crypto.randomUUID()), await target.newContact()]
    const first = await target.request('DELETE', `/contacts/${id}`, { headers })
    const second = await target.request('DELETE', `/contacts/${id}`, { headers })
    for (const reply of [first, second]) expect.status(reply, 204)
    expect.header(second, 'idempotent-replayed', /^true$/)
  }),
  ours('requests', 'an attempt to update that arrives after a later one changes nothing', async target => {
    const [key, { id }] = [crypto.randomUUID(), await target.newContact()]
    const attempt = (number: string) =>
      target.request('PATCH', `/contacts/${id}`, {
        json: { phone: '111' },
        headers: { ...keyed(key), 'idempotency-attempt': number },
      })
    expect.status(await attempt('2'), 200)
    expect.problem(await attempt('1'), 409, 'attempt_superseded')
  }),
  ours('requests', 'creating a token again with the same key revokes the first, returns another', async target => {
    const [key, { id }] = [crypto.randomUUID(), await target.newContact()]
    const first = await createToken(target, key, { id })
    const second = await createToken(target, key, { id })
    for (const reply of [first, second]) expect.status(reply, 201)
    expect.problem(await session(target, dataOf(first)['token']), 401, 'token_revoked')
    expect.status(await session(target, dataOf(second)['token']), 200)
  }),
]
