import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import type { Bus, BusEvent } from '../bus/bus.ts'

/** A bus, or two buses that are connected. */
export interface BusPair {
  from: Bus
  to: Bus
}

/** Resolves when all subscriptions are active and everything published has arrived. */
export async function waitUntilDelivered({ from, to }: BusPair): Promise<void> {
  const subject = `settle.${randomUUID()}`
  const received = vi.fn()
  const stop = to.subscribe(subject, received)
  const publishProbe = () => {
    from.publish(subject, { type: 'stored' })
    expect(received).toHaveBeenCalled()
  }
  await vi.waitFor(publishProbe, { timeout: 15_000, interval: 10 })
  stop()
}

/** Behaviour that every bus must have. `open` also sees to it that they are closed. */
export function busSuite(name: string, open: () => Promise<BusPair>): void {
  const opened = async (): Promise<BusPair> => {
    const ends = await open()
    await waitUntilDelivered(ends)
    return ends
  }

  describe(name, () => {
    it('delivers an event to every listener of its subject, in order, until each unsubscribes', async () => {
      const ends = await opened()
      const received: string[] = []
      const stopFirst = ends.to.subscribe('a', ({ type }) => received.push(`first ${type}`))
      ends.to.subscribe('a', ({ type }) => received.push(`second ${type}`))
      const stopOther = ends.to.subscribe('b', ({ type }) => received.push(`other ${type}`))
      await waitUntilDelivered(ends)
      ends.from.publish('a', { type: 'stored' })
      await waitUntilDelivered(ends)
      stopFirst()
      stopFirst()
      ends.from.publish('a', { type: 'joined' })
      ends.from.publish('nobody', { type: 'stored' })
      await waitUntilDelivered(ends)
      expect(received).toEqual(['first stored', 'second stored', 'second joined'])
      await ends.to.close()
      ends.from.publish('b', { type: 'stored' })
      ends.to.publish('b', { type: 'stored' })
      expect(received).toHaveLength(3)
      stopOther()
    })

    it('allows a listener to unsubscribe while it is called, and to subscribe again', async () => {
      const ends = await opened()
      const received: number[] = []
      const stop = ends.to.subscribe('a', () => {
        received.push(1)
        stop()
      })
      ends.to.subscribe('a', () => received.push(2))
      await waitUntilDelivered(ends)
      ends.from.publish('a', { type: 'stored' })
      ends.from.publish('a', { type: 'stored' })
      await waitUntilDelivered(ends)
      expect(received).toEqual([1, 2, 2])
      const stopAgain = ends.to.subscribe('c', () => received.push(3))
      stopAgain()
      ends.to.subscribe('c', () => received.push(4))
      await waitUntilDelivered(ends)
      ends.from.publish('c', { type: 'stored' })
      await waitUntilDelivered(ends)
      expect(received).toEqual([1, 2, 2, 4])
    })

    it('delivers events complete, once, and in the order of publishing', async () => {
      const ends = await opened()
      const received: BusEvent[] = []
      ends.to.subscribe('a', event => received.push(event))
      await waitUntilDelivered(ends)
      const sent: BusEvent[] = Array.from({ length: 500 }, (_, offset) => ({
        type: 'forward',
        streamEvent: { event: 'message.delta', data: { id: randomUUID(), offset, text: '“é 😀\n' } },
      }))
      for (const event of sent) ends.from.publish('a', event)
      await waitUntilDelivered(ends)
      expect(received).toEqual(sent)
    })

    it('delivers synchronously within the node that publishes', async () => {
      const { to } = await opened()
      const received: string[] = []
      to.subscribe('a', ({ type }) => received.push(type))
      to.publish('a', { type: 'taken_over' })
      expect(received).toEqual(['taken_over'])
    })
  })
}
