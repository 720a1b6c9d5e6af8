import { describe, expect, it } from 'vitest'
import { isBefore, nextEpoch, parseEpoch } from './epoch.ts'

describe('an epoch', () => {
  it('follows the one that is stored, in its series', () => {
    const first = parseEpoch(nextEpoch(null, 'storage_empty'))
    const second = parseEpoch(nextEpoch(first.id, 'login'))
    expect([first.counter, first.reason, second.counter, second.reason]).toEqual([1, 'storage_empty', 2, 'login'])
    expect(second.series).toBe(first.series)
    expect([isBefore(first.id, second.id), isBefore(second.id, first.id)]).toEqual([true, false])
  })

  it('differs from one that another tab begins at the same moment, and neither is the earlier one', () => {
    const [one, other] = [1, 2].map(() => parseEpoch(nextEpoch('17.series.random login', 'logout')).id) as [
      string,
      string,
    ]
    expect(one).not.toBe(other)
    expect([isBefore(one, other), isBefore(other, one)]).toEqual([false, false])
  })

  it('says nothing about those from before storage was emptied, however high they were', () => {
    const before = '17.series.random'
    const after = parseEpoch(nextEpoch('', 'storage_empty')).id
    expect([isBefore(before, after), isBefore(after, before)]).toEqual([false, false])
  })

  it('follows one whose reason it does not know, as of a later version', () => {
    expect(parseEpoch(nextEpoch('17.series.random unheard-of', 'login'))).toMatchObject({
      counter: 18,
      series: 'series',
    })
  })

  it.each(['', null, undefined, '17 logout', '1767225600000000 logout', '1767225600000000.a.b', '-1.a.b', '{}'])(
    'is none where %s is stored',
    text => {
      expect(parseEpoch(text)).toEqual({ id: '', counter: 0, series: '', reason: 'logout' })
      expect(parseEpoch(nextEpoch(text, 'login')).counter).toBe(1)
    },
  )
})
