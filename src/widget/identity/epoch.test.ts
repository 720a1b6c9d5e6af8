import { describe, expect, it } from 'vitest'
import { isBefore, nextEpoch, parseEpoch } from './epoch.ts'

describe('an epoch', () => {
  it('follows the one before, in its series', () => {
    const first = nextEpoch('')
    const second = nextEpoch(first)
    expect([parseEpoch(first).counter, parseEpoch(second).counter]).toEqual([1, 2])
    expect(parseEpoch(second).series).toBe(parseEpoch(first).series)
    expect([isBefore(first, second), isBefore(second, first)]).toEqual([true, false])
  })

  it('differs from one that another tab begins at the same moment, and neither is the earlier one', () => {
    const [one, other] = [nextEpoch('17.series.random'), nextEpoch('17.series.random')]
    expect(one).not.toBe(other)
    expect([isBefore(one, other), isBefore(other, one)]).toEqual([false, false])
  })

  it('says nothing about those from before storage was emptied, however high they were', () => {
    const before = '17.series.random'
    const emptied = nextEpoch('')
    expect([isBefore(before, emptied), isBefore(emptied, before)]).toEqual([false, false])
  })
})
