import { dataOf, expectEmpty, expectEqual, expectProblem, expectStatus } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const nobody = '00000000-0000-7000-8000-000000000000'
const set = (target: TestTarget, id: string, attributes: unknown) =>
  target.request('PUT', `/contacts/${id}/attributes`, { json: { attributes } })
const get = (target: TestTarget, id: string) => target.request('GET', `/contacts/${id}/attributes`)

/** Values that are no attributes, with the key that an error must name. */
const wrong: [unknown, string][] = [
  [{ plan: null }, '/plan'],
  [{ plan: ['pro'] }, '/plan'],
  [{ plan: 'x'.repeat(501) }, '/plan'],
  [{ '1st': 1 }, '/1st'],
  [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, index])), ''],
  [Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(key => [key, 'x'.repeat(450)])), ''],
  ['plan', ''],
]

/** What is known of a visitor: a contact's attributes, and the context of messages. */
export const attributeRules: Rule[] = [
  ours('3', 'attributes are replaced as a whole, and the contact stays as it is', async target => {
    const { id } = await target.newContact()
    const contact = dataOf(await target.request('GET', `/contacts/${id}`))
    expectEqual('the attributes at first', dataOf(await get(target, id)), { attributes: {} })
    for (const attributes of [{ plan: 'pro', cart: 3, vip: true }, { 'page.path': '/' }, {}]) {
      expectEmpty(await set(target, id, attributes), 204)
      expectEqual('the attributes', dataOf(await get(target, id)), { attributes })
    }
    expectEqual('the contact', dataOf(await target.request('GET', `/contacts/${id}`)), contact)
  }),
  ours('3', 'attributes beyond their limits are 400, which names the key, and change nothing', async target => {
    const { id } = await target.newContact()
    expectStatus(await set(target, id, { plan: 'pro' }), 204)
    for (const [attributes, key] of wrong)
      expectProblem(await set(target, id, attributes), 400, 'invalid_request', `/attributes${key}`)
    expectEqual('the attributes', dataOf(await get(target, id)), { attributes: { plan: 'pro' } })
  }),
  ours('3', 'attributes of an unknown contact are 404', async target => {
    expectStatus(await get(target, (await target.newContact()).id), 200)
    for (const id of [nobody, 'x']) {
      expectProblem(await get(target, id), 404, 'not_found')
      expectProblem(await set(target, id, {}), 404, 'not_found')
    }
  }),
  // None is stored: a visitor's message would ask the bot's responder, which may cost its owner something.
  ours('5', 'the context of a message has the limits of attributes', async target => {
    const authorization = `Bearer ${await target.newToken((await target.newContact()).id)}`
    for (const [context, key] of wrong) {
      const json = { id: crypto.randomUUID(), text: 'Conformance', context }
      const reply = await target.request('POST', '/widget/messages', { authorization, json })
      expectProblem(reply, 400, 'invalid_request', `/context${key}`)
    }
  }),
]
