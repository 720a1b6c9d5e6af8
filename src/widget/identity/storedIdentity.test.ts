import { describe, expect, it } from 'vitest'
import { isBefore, nextEpoch, parseEpoch, parseIdentity, stringifyIdentity } from './storedIdentity.ts'

const token = `c:${'a'.repeat(64)}`

describe('the stored identity', () => {
  it('is read as it was written, with and without a token', () => {
    for (const stored of [
      { epoch: nextEpoch(''), reason: 'storage_reset', token: null },
      { epoch: nextEpoch('17.series.random'), reason: 'login', token },
    ] as const) {
      expect(parseIdentity(stringifyIdentity(stored.epoch, stored.reason, stored.token))).toEqual(stored)
    }
  })

  it('is as long without a token as with one', () => {
    const longest = {
      epoch: `${'9'.repeat(15)}.${'1'.repeat(21)}.${'1'.repeat(21)}`,
      reason: 'contact_deleted',
    } as const
    const lengths = [token, null].flatMap(each => [
      stringifyIdentity(longest.epoch, longest.reason, each).length,
      stringifyIdentity('1.a.b', 'login', each).length,
    ])
    expect(new Set(lengths).size).toBe(1)
  })

  it.each([
    '',
    null,
    undefined,
    token,
    `login ${token}`,
    '17 logout',
    '1.a.b',
    '1.a.b nonsense',
    '-1.a.b logout',
    `1.a.b login ${token.toUpperCase()}`,
    `1.a.b login ${token} more`,
    '{}',
  ])('is nobody where %s is stored', text => {
    expect(parseIdentity(text)).toEqual({ epoch: '', reason: 'storage_reset', token: null })
  })
})

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
