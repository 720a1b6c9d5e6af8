import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { sweepMs } from '../platform.ts'
import { startNodes } from '../testing/testNodes.ts'
import { advanceUntil, readEvents } from '../testing/testTenants.ts'

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

it('a message that is removed on one node is gone from the streams of all nodes within a sweep, without a bus', async () => {
  const { tenants, call } = await startNodes(inject('postgres'))
  const { id: contactId } = await tenants.ours.createContact()
  const token = await tenants.ours.contactToken(contactId)
  const json = { id: randomUUID(), text: 'hunter2' }
  await call(0, 'POST', '/widget/messages', { token, json })
  const streams = await Promise.all(
    [0, 1, 2].map(async node =>
      readEvents(await call(node, 'POST', '/widget/events/stream', { token, json: { nonce, after: 1, revision: 0 } })),
    ),
  )
  expect((await call(1, 'DELETE', `/contacts/${contactId}/messages/${json.id}`)).status).toBe(204)
  const { clock } = tenants
  const changes = await Promise.all(
    streams.map(events => advanceUntil(clock, sweepMs, events.nextOf('message.changed'))),
  )
  for (const { data } of changes) expect(data).toMatchObject({ revision: 1, message: { id: json.id, text: '' } })
  expect(sweepMs).toBeLessThan(1000)
  for (const node of [0, 1, 2]) {
    expect(await (await call(node, 'GET', '/widget/messages', { token })).text()).not.toContain('hunter2')
    expect((await call(node, 'POST', '/widget/messages', { token, json })).status).toBe(200)
  }
  for (const events of streams) await events.cancel()
})
