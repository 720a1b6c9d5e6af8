import { expect, it } from 'vitest'
import { sweepMs } from '../platform.ts'
import type { Responder } from '../responders/responder.ts'
import { advanceUntil, createTestTenants, readEvents } from '../testing/testTenants.ts'

it('answers messages that were written before a lease expired and returned to the same node, as after a store outage', async () => {
  const [asked, slow, leased] = [0, 0, 0].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate]
  const answer: Responder['answer'] = async function* ({ messages }) {
    asked.resolve()
    if (messages.length === 1) await slow.promise
    yield { text: `About ${messages.at(-1)?.text}` }
  }
  const tenants = await createTestTenants({ responder: { answer } })
  const token = await tenants.ours.visitorToken()
  const events = readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
  await tenants.ours.send(token, 'One?')
  await asked.promise
  await tenants.ours.send(token, 'Two?')
  const { leaseTurns } = tenants.store
  tenants.store.leaseTurns = async (...wanted) => {
    const turns = await leaseTurns(...wanted)
    if (turns.length > 0) leased.resolve()
    return turns
  }
  tenants.store.renewTurns = () => Promise.reject(new Error('away'))
  await advanceUntil(tenants.clock, sweepMs, leased.promise)
  slow.resolve()
  for (const text of ['One?', 'Two?', 'About Two?']) expect((await events.nextOf('message')).data['text']).toBe(text)
  await tenants.close()
})

type Gate = PromiseWithResolvers<void>
