import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { report, scale } from '../../../testScale.ts'
import { jsonOf, multipartOf, nastyText } from '../../testing/fuzz/arbitraries.ts'
import { createTestTenants } from '../../testing/testTenants.ts'

const tenants = await createTestTenants({ log: () => {} })
const token = await tenants.ours.contactToken((await tenants.ours.createContact()).id)
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
  undo: () => Promise<unknown>,
  bearer = tenants.ours.organizationToken,
) {
  const answers: string[] = []
  for (const [type, encode] of encodings) {
    const response = await tenants.ours.call(method, path, {
      token: bearer,
      headers: { 'content-type': type },
      body: encode(fields),
    })
    answers.push(comparable(response.status, await response.text()))
    await undo()
  }
  expect(new Set(answers).size, answers.join('\n')).toBe(1)
  return answers[0]?.slice(0, 3) ?? ''
}

const stored = async (id: string): Promise<string> => (await tenants.ours.call('GET', `/contacts/${id}`)).text()

const everybody = async (): Promise<{ id: string }[]> =>
  ((await (await tenants.ours.call('POST', '/contacts?limit=100')).json()) as { data: { id: string }[] }).data

describe('JSON, urlencoded and multipart', () => {
  const settings = { numRuns: scale.fuzzedForms, seed: scale.seed }

  it('create the same contact, or are refused with the same error', async () => {
    let created = 0
    const before = new Set((await everybody()).map(({ id }) => id))
    const forget = async (): Promise<void> => {
      for (const { id } of await everybody()) if (!before.has(id)) await tenants.ours.call('DELETE', `/contacts/${id}`)
    }
    const property = fc.asyncProperty(
      fc.oneof(contact, texts(['name', 'email', 'phone', 'wid', 'mid'])),
      async fields => {
        if ((await alike('PUT', '/contacts', fields, forget)) === '201') created++
      },
    )
    await fc.assert(property, settings)
    expect(created).toBeGreaterThan(5)
    report(`${scale.fuzzedForms} bodies in three forms`)
  }, 600_000)

  it('update a contact in the same way', async () => {
    const { id } = await tenants.ours.createContact()
    const undo = async () => {
      const now = JSON.parse(await stored(id)) as { data: Record<string, string> }
      seen.push(JSON.stringify({ ...now.data, updatedAt: '' }))
      await tenants.ours.call('PATCH', `/contacts/${id}`, {
        json: { name: 'Ada', email: 'before@example.com', phone: '', wid: '', mid: '' },
      })
    }
    const seen: string[] = []
    await undo()
    const property = fc.asyncProperty(texts(['name', 'email', 'phone', 'wid', 'mid']), async fields => {
      seen.length = 0
      await alike('PATCH', `/contacts/${id}`, fields, undo)
      expect(new Set(seen).size).toBe(1)
    })
    await fc.assert(property, settings)
  }, 600_000)

  it('create tokens and send messages in the same way', async () => {
    const { email } = await tenants.ours.createContact({ email: 'form+token@example.com' })
    const bodies = fc.oneof(
      fc.constantFrom<Texts>([['email', email]], [['email', 'nobody@example.com']]),
      texts(['id', 'email']),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async fields => {
        await alike('PUT', '/auth/contacts', fields, async () => {})
      }),
      settings,
    )
    const visitor = await tenants.ours.visitorToken()
    await fc.assert(
      fc.asyncProperty(fc.uuid(), texts(['text', 'id']), async (id, fields) => {
        const all = Object.entries({ id, ...Object.fromEntries(fields) })
        const first = await tenants.ours.call('POST', '/widget/messages', {
          token: visitor,
          json: Object.fromEntries(all),
        })
        // From the second time on it is the same stored message.
        if (first.ok) await alike('POST', '/widget/messages', all, async () => {}, visitor)
        else await alike('POST', '/widget/messages', all, async () => {}, token)
      }),
      settings,
    )
  }, 600_000)
})
