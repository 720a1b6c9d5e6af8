import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { createTestTenants, dataOf, outcomeOf, readEvents } from '../testing/testTenants.ts'

async function start() {
  const scripted = createScriptedResponder()
  const tenants = await createTestTenants({ responder: scripted.responder })
  const { ours } = tenants
  const { id } = await ours.createContact()
  const token = await ours.contactToken(id)
  const events = readEvents(await ours.call('GET', '/widget/events', { token }))
  const remove = async (messageId: string, testBot = ours) =>
    outcomeOf(await testBot.call('DELETE', `/contacts/${id}/messages/${messageId}`))
  const read = async () => (await dataOf(await ours.call('GET', '/widget/messages', { token }))) as Message[]
  return { scripted, tenants, ours, token, events, remove, read }
}

it('a reply that is being written is written again without the message that was removed', async () => {
  const { scripted, tenants, ours, token, events, remove, read } = await start()
  const [secret, question] = [randomUUID(), randomUUID()]
  await ours.send(token, 'hunter2', secret)
  const first = await scripted.asked(0)
  await scripted.say({ text: 'Your password hunter2' })
  const delta = await events.nextOf('message.delta')
  await ours.send(token, 'Are you there?', question)
  expect(await remove(secret)).toBe('204')
  expect(scripted.signals[0]?.aborted).toBe(true)
  expect((await events.nextOf('message.aborted')).data).toEqual({ id: delta.data['id'] })
  // The reply that was aborted still waits for its next part.
  await scripted.say({ text: ' is …' })
  const second = await scripted.asked(1)
  await scripted.say({ text: 'I am.' })
  await scripted.say('end')
  expect([first, second].map(asked => asked?.messages.map(({ text }) => text))).toEqual([
    ['hunter2'],
    ['Are you there?'],
  ])
  while ((await events.nextOf('message')).data['author'] !== 'bot');
  expect((await read()).map(({ text }) => text)).toEqual(['', 'Are you there?', 'I am.'])
  await tenants.close()
})

it('a reply is not written if nothing is left to answer, nor found before it is stored', async () => {
  const { scripted, tenants, ours, token, events, remove, read } = await start()
  const secret = randomUUID()
  await ours.send(token, 'hunter2', secret)
  await scripted.asked(0)
  await scripted.say({ text: 'Your password hunter2' })
  const { data } = await events.nextOf('message.delta')
  expect(await remove(String(data['id']))).toBe('404 not_found')
  await remove(secret)
  await events.nextOf('message.aborted')
  await scripted.say({ text: ' is …' })
  const later = new Date(tenants.clock.now() + 60_000).toISOString()
  expect(await tenants.store.leaseTurns('a test', later, later, 10)).toEqual([])
  expect((await read()).map(({ text }) => text)).toEqual([''])
  await tenants.close()
})

it('a message is found only by its organization, by its id in any case', async () => {
  const { tenants, ours, token, remove, read } = await start()
  const id = randomUUID()
  await ours.send(token, 'hunter2', id)
  for (const testBot of [tenants.sibling, tenants.otherOrganization])
    expect(await remove(id, testBot)).toBe('404 not_found')
  for (const wrong of [randomUUID(), 'x', '%00', `${id}0`]) expect(await remove(wrong)).toBe('404 not_found')
  const own = await ours.call('DELETE', `/conversations/${randomUUID()}/messages/${id}`, { token })
  expect(await outcomeOf(own)).toBe('403 insufficient_scope')
  expect((await read())[0]?.text).toBe('hunter2')
  expect([await remove(id.toUpperCase()), await remove(id)]).toEqual(['204', '204'])
  const again = await ours.send(token, 'hunter2', id)
  expect([again.status, await dataOf(again)]).toMatchObject([200, { text: '' }])
  await tenants.close()
})
