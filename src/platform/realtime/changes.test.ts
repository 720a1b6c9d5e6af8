import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { sweepMs } from '../platform.ts'
import { advanceUntil, createTestTenants, readEvents, silentBus } from '../testing/testTenants.ts'

const tenants = await createTestTenants()
afterAll(tenants.close)

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

/** A contact's conversation with as many messages. */
async function talk(count: number, { ours } = tenants) {
  const { id: contactId } = await ours.createContact()
  const token = await ours.contactToken(contactId)
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids) await ours.send(token, `message ${id}`, id)
  const remove = async (index: number) => {
    const { status } = await ours.call('DELETE', `/contacts/${contactId}/messages/${ids[index]}`)
    expect(status).toBe(204)
  }
  const open = async (position: { after?: number; revision?: number } = {}) =>
    readEvents(await ours.call('POST', '/widget/events/stream', { token, json: { nonce, ...position } }))
  return { token, ids, remove, open }
}

type Events = ReturnType<typeof readEvents>
const nextChange = async (events: Events) => {
  const { data } = await events.nextOf('message.changed')
  const { id, text, removedAt } = data['message'] as Record<string, string>
  return { revision: data['revision'], id, text, isRemoved: removedAt !== undefined }
}

describe('the changes of stored messages', () => {
  it('reach an open stream at once, without the text', async () => {
    const { ids, remove, open } = await talk(2)
    const events = await open()
    await remove(1)
    expect(await nextChange(events)).toEqual({ revision: 1, id: ids[1], text: '', isRemoved: true })
    await remove(0)
    expect(await nextChange(events)).toEqual({ revision: 2, id: ids[0], text: '', isRemoved: true })
    await events.cancel()
  })

  it('are replayed to a stream that was away, after the messages that it has missed', async () => {
    const { token, ids, remove, open } = await talk(3)
    for (const index of [0, 1, 2]) await remove(index)
    const byGet = await tenants.ours.events(token, '?after=2&revision=1')
    for (const events of [await open({ after: 2, revision: 1 }), byGet]) {
      expect((await events.nextOf('message')).data).toMatchObject({ id: ids[2], text: '' })
      expect(await nextChange(events)).toMatchObject({ revision: 2, id: ids[1] })
      expect(await nextChange(events)).toMatchObject({ revision: 3, id: ids[2] })
      await events.cancel()
    }
  })

  it.each([201, 0])(
    'make a stream fetch everything again if it is too far behind or ahead: %i changes',
    async count => {
      const own = await createTestTenants()
      const { remove, open, token } = await talk(count, own)
      for (let index = 0; index < count; index++) await remove(index)
      const events = await open({ revision: count === 0 ? 5 : 0 })
      await events.next()
      expect(await events.next()).toEqual({ event: 'reset', data: {} })
      await own.ours.send(token, 'after')
      expect((await events.next())?.event).toBe('message')
    },
  )

  it('are found by the sweep if the bus has lost them', async () => {
    const deaf = await createTestTenants({ bus: silentBus() })
    const { ids, remove, open } = await talk(1, deaf)
    const events = await open()
    await remove(0)
    expect(await advanceUntil(deaf.clock, sweepMs, nextChange(events))).toMatchObject({ revision: 1, id: ids[0] })
  })
})
