import * as expect from './expect.ts'
import { dataOf } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const unknownId = '00000000-0000-7000-8000-000000000000'
const set = (target: TestTarget, id: string, attributes: unknown) =>
  target.request('PUT', `/contacts/${id}/attributes`, { json: { attributes } })
const get = (target: TestTarget, id: string) => target.request('GET', `/contacts/${id}/attributes`)

/** Invalid attributes, each with the key that the error must point to. */
const wrong: [unknown, string][] = [
  [{ plan: null }, '/plan'],
  [{ plan: ['pro'] }, '/plan'],
  [{ plan: 'x'.repeat(501) }, '/plan'],
  [{ '1st': 1 }, '/1st'],
  [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, index])), ''],
  [Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(key => [key, 'x'.repeat(450)])), ''],
  ['plan', ''],
]

/** What the organization knows about a visitor: the attributes of a contact, and the context of messages. */
export const attributeRules: Rule[] = [
  ours('contacts', 'setting attributes replaces all of them, and does not change the contact', async target => {
    const { id } = await target.newContact()
    const contact = dataOf(await target.request('GET', `/contacts/${id}`))
    expect.equal('the attributes at first', dataOf(await get(target, id)), { attributes: {} })
    for (const attributes of [{ plan: 'pro', cart: 3, vip: true }, { 'page.path': '/' }, {}]) {
      expect.empty(await set(target, id, attributes), 204)
      expect.equal('the attributes', dataOf(await get(target, id)), { attributes })
    }
    expect.equal('the contact', dataOf(await target.request('GET', `/contacts/${id}`)), contact)
  }),
  ours('contacts', 'invalid attributes return 400 with the key in the pointer, and change nothing', async target => {
    const { id } = await target.newContact()
    expect.status(await set(target, id, { plan: 'pro' }), 204)
    for (const [attributes, key] of wrong) expect.invalid(await set(target, id, attributes), `/attributes${key}`)
    expect.equal('the attributes', dataOf(await get(target, id)), { attributes: { plan: 'pro' } })
  }),
  ours('contacts', 'reading or setting the attributes of an unknown contact returns 404', async target => {
    expect.status(await get(target, (await target.newContact()).id), 200)
    for (const id of [unknownId, 'x']) {
      expect.problem(await get(target, id), 404, 'not_found')
      expect.problem(await set(target, id, {}), 404, 'not_found')
    }
  }),
  // None is stored: a visitor's message would ask the bot's responder, which may cost its owner something.
  ours('widget', 'the context of a message has the limits of attributes', async target => {
    const authorization = `Bearer ${await target.newToken((await target.newContact()).id)}`
    for (const [context, key] of wrong) {
      const json = { id: crypto.randomUUID(), text: 'Conformance', context }
      const reply = await target.request('POST', '/widget/messages', { authorization, json })
      expect.invalid(reply, `/context${key}`)
    }
  }),
]
