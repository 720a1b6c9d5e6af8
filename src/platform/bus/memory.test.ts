import { describe, expect, it } from 'vitest'
import { createMemoryBus } from './memory.ts'

describe('createMemoryBus', () => {
  it('hands an event to every listener of its subject, in order, until each stops listening', async () => {
    const bus = createMemoryBus()
    const heard: string[] = []
    const stopFirst = bus.subscribe('a', ({ type }) => heard.push(`first ${type}`))
    bus.subscribe('a', ({ type }) => heard.push(`second ${type}`))
    bus.subscribe('b', ({ type }) => heard.push(`other ${type}`))
    bus.publish('a', { type: 'stored' })
    stopFirst()
    stopFirst()
    bus.publish('a', { type: 'joined' })
    bus.publish('nobody', { type: 'stored' })
    expect(heard).toEqual(['first stored', 'second stored', 'second joined'])
    await bus.close()
    bus.publish('b', { type: 'stored' })
    expect(heard).toHaveLength(3)
  })

  it('lets a listener stop listening while it hears', () => {
    const bus = createMemoryBus()
    const heard: number[] = []
    const stop = bus.subscribe('a', () => {
      heard.push(1)
      stop()
    })
    bus.subscribe('a', () => heard.push(2))
    bus.publish('a', { type: 'stored' })
    bus.publish('a', { type: 'stored' })
    expect(heard).toEqual([1, 2, 2])
  })
})
