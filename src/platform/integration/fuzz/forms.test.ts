import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { report, scale } from '../../../testScale.ts'
import { jsonOf, multipartOf, nastyText } from '../../testing/fuzz/arbitraries.ts'
import { createTestTenants, dataOf } from '../../testing/testTenants.ts'

const tenants = await createTestTenants({ log: () => {} })
const { ours } = tenants
const contactToken = await ours.contactToken((await ours.createContact()).id)
afterAll(() => tenants.close())

type Texts = [string, string][]
const encodings: [type: string, encode: (fields: Texts) => string][] = [
  ['application/json', jsonOf],
  ['application/x-www-form-urlencoded', fields => String(new URLSearchParams(fields))],
  ['multipart/form-data; boundary="e d g e"', fields => multipartOf(fields, 'e d g e')],
]

// What a form cannot carry unchanged: it has no unpaired surrogates, and each name only once. Short, because each form
// has another length, and one of them would exceed a limit before the others do.
const text = nastyText.map(value => value.toWellFormed().slice(0, 300))
// The multipart parser drops a byte order mark before a name, as the web platform's does.
const unknownName = text.filter(name => !name.startsWith('\ufeff'))
const texts = (names: string[]): fc.Arbitrary<Texts> =>
  fc
    .dictionary(fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...names) }, unknownName), text, { maxKeys: 6 })
    .map(Object.entries<string>)
const contact: fc.Arbitrary<Texts> = fc
  .tuple(
    fc.constantFrom('Ada', 'Åse  Ø', ' e\u0301 '),
    fc.constantFrom('a+b@example.com', ' A@EXAMPLE.com'),
    texts(['phone', 'wid', 'mid', 'name']),
  )
  .map(([name, email, more]) => Object.entries({ name, email, ...Object.fromEntries(more) }))

/** A response without the parts that are new each time. */
const comparable = (status: number, body: string): string =>
  `${status} ${body.replace(/urn:natter:request:[\w-]+/, '').replace(/"(?:id|token|contactId)":"[^"]*"/g, '')}`

/** Sends the same fields in each form. `undo` restores the state for the next one. */
async function alike(
  method: string,
  path: string,
  fields: Texts,
  { undo = async () => {}, as = ours.organizationToken }: { undo?: () => Promise<unknown>; as?: string } = {},
) {
  const answers: string[] = []
  for (const [type, encode] of encodings) {
    const options = { token: as, headers: { 'content-type': type }, body: encode(fields) }
    const response = await ours.call(method, path, options)
    answers.push(comparable(response.status, await response.text()))
    await undo()
  }
  expect(new Set(answers).size, answers.join('\n')).toBe(1)
  return answers[0]?.slice(0, 3) ?? ''
}

describe('JSON, urlencoded and multipart', () => {
  const check = <Input>(inputs: fc.Arbitrary<Input>, run: (input: Input) => Promise<void>) =>
    fc.assert(fc.asyncProperty(inputs, run), { numRuns: scale.fuzzedForms, seed: scale.seed })
  const known = texts(['name', 'email', 'phone', 'wid', 'mid'])

  it('create the same contact, or are refused with the same error', async () => {
    const everybody = () => dataOf<{ id: string }[]>(ours.call('POST', '/contacts?limit=100'))
    const before = new Set((await everybody()).map(({ id }) => id))
    const undo = async () => {
      for (const { id } of await everybody()) if (!before.has(id)) await ours.call('DELETE', `/contacts/${id}`)
    }
    let created = 0
    await check(fc.oneof(contact, known), async fields => {
      if ((await alike('PUT', '/contacts', fields, { undo })) === '201') created++
    })
    expect(created).toBeGreaterThan(5)
    report(`${scale.fuzzedForms} bodies in three forms`)
  }, 600_000)

  it('update a contact in the same way', async () => {
    const path = `/contacts/${(await ours.createContact()).id}`
    const seen: string[] = []
    const undo = async () => {
      seen.push(JSON.stringify({ ...(await dataOf<object>(ours.call('GET', path))), updatedAt: '' }))
      await ours.call('PATCH', path, {
        json: { name: 'Ada', email: 'before@example.com', phone: '', wid: '', mid: '' },
      })
    }
    await undo()
    await check(known, async fields => {
      seen.length = 0
      await alike('PATCH', path, fields, { undo })
      expect(new Set(seen).size).toBe(1)
    })
  }, 600_000)

  it('create tokens in the same way', async () => {
    const { email } = await ours.createContact({ email: 'form+token@example.com' })
    const emails = fc.constantFrom<Texts>([['email', email]], [['email', 'nobody@example.com']])
    await check(fc.oneof(emails, texts(['id', 'email'])), async fields => {
      await alike('PUT', '/auth/contacts', fields)
    })
  }, 600_000)

  it('send messages in the same way', async () => {
    const visitor = await ours.visitorToken()
    await check(fc.tuple(fc.uuid(), texts(['text', 'id'])), async ([id, fields]) => {
      const json = { id, ...Object.fromEntries(fields) }
      const first = await ours.call('POST', '/widget/messages', { token: visitor, json })
      // From the second time on it is the same stored message.
      const as = first.ok ? visitor : contactToken
      await alike('POST', '/widget/messages', Object.entries(json), { as })
    })
  }, 600_000)
})
