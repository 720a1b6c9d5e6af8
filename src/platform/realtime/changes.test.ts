import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sweepMs } from '../platform.ts'
import { advanceUntil, createTestTenants, type EventReader, readEvents, silentBus } from '../testing/testTenants.ts'

/** A contact's conversation with as many messages. */
async function talk(count: number, options?: Parameters<typeof createTestTenants>[0]) {
  const { ours, clock } = await createTestTenants(options)
  const { id: contactId } = await ours.createContact()
  const token = await ours.contactToken(contactId)
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids) await ours.send(token, `message ${id}`, id)
  const remove = async (index: number) => {
    const { status } = await ours.call('DELETE', `/contacts/${contactId}/messages/${ids[index]}`)
    expect(status).toBe(204)
  }
  const open = async (position: { after?: number; revision?: number } = {}) => {
    const json = { nonce: 'mZk3xT0qVb8Lr2Nw6YcPdA', ...position }
    return readEvents(await ours.call('POST', '/widget/events/stream', { token, json }))
  }
  return { ours, clock, token, ids, remove, open }
}

async function nextChange(events: EventReader) {
  const { data } = await events.nextOf('message.changed')
  const { id, text, removedAt } = data['message'] as Record<string, string>
  return { revision: data['revision'], id, text, isRemoved: removedAt !== undefined }
}

describe('the changes of stored messages', () => {
  it('reach an open stream at once, without the text', async () => {
    const { ids, remove, open } = await talk(2)
    const events = await open()
    for (const [index, removed] of [1, 0].entries()) {
      await remove(removed)
      expect(await nextChange(events)).toEqual({ revision: index + 1, id: ids[removed], text: '', isRemoved: true })
    }
  })

  it('are replayed to a stream that was away, after the messages that it has missed', async () => {
    const { ours, token, ids, remove, open } = await talk(3)
    for (const index of [0, 1, 2]) await remove(index)
    const byGet = await ours.events(token, '?after=2&revision=1')
    for (const events of [await open({ after: 2, revision: 1 }), byGet]) {
      expect((await events.nextOf('message')).data).toMatchObject({ id: ids[2], text: '' })
      expect(await nextChange(events)).toMatchObject({ revision: 2, id: ids[1] })
      expect(await nextChange(events)).toMatchObject({ revision: 3, id: ids[2] })
    }
  })

  it.each([
    ['behind', 201, 0],
    ['ahead', 0, 5],
  ])('make a stream fetch everything again if it is too far %s', async (_, count, revision) => {
    const { ours, remove, open, token } = await talk(count)
    for (let index = 0; index < count; index++) await remove(index)
    const events = await open({ revision })
    await events.next()
    expect(await events.next()).toEqual({ event: 'reset', data: {} })
    await ours.send(token, 'after')
    expect((await events.next())?.event).toBe('message')
  })

  it('are found by the sweep if the bus has lost them', async () => {
    const { clock, ids, remove, open } = await talk(1, { bus: silentBus() })
    const events = await open()
    await remove(0)
    expect(await advanceUntil(clock, sweepMs, nextChange(events))).toMatchObject({ revision: 1, id: ids[0] })
  })
})
