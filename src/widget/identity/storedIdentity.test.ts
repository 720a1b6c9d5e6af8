import { describe, expect, it } from 'vitest'
import {
  continuedEpoch,
  createNonce,
  type EpochReason,
  isBefore,
  isContinued,
  nextEpoch,
  numberOf,
  parseIdentity,
  stringifyIdentity,
} from './storedIdentity.ts'

const token = `c:${'a'.repeat(64)}`

describe('the stored identity', () => {
  it('is read as it was written, with and without a token', () => {
    for (const stored of [
      { epoch: nextEpoch('', 17, createNonce('storage_reset')), reason: 'storage_reset', token: null },
      { epoch: nextEpoch('17.random', 16, createNonce('login')), reason: 'login', token },
      { epoch: nextEpoch('', 17.5, createNonce('logout')), reason: 'logout', token: null },
    ] as const) {
      expect(parseIdentity(stringifyIdentity(stored.epoch, stored.reason, stored.token))).toEqual(stored)
    }
  })

  it('is as long without a token as with one', () => {
    const longest = {
      epoch: `${'9'.repeat(16)}.${'1'.repeat(22)}`,
      reason: 'contact_deleted',
    } as const
    const lengths = [token, null].flatMap(each => [
      stringifyIdentity(longest.epoch, longest.reason, each).length,
      stringifyIdentity('1.a', 'login', each).length,
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
    '1.a.b logout',
    '1.a',
    '1.a nonsense',
    '-1.a logout',
    `1.a login ${token.toUpperCase()}`,
    `1.a login ${token} more`,
    '{}',
  ])('is nobody where %s is stored', text => {
    expect(parseIdentity(text)).toEqual({ epoch: '', reason: 'storage_reset', token: null })
  })
})

describe('an epoch', () => {
  const now = Date.UTC(2026, 0, 1)
  const begin = (seen: string, at: number, reason: EpochReason = 'logout') => nextEpoch(seen, at, createNonce(reason))

  it('begins after the one before, also if the clock was set back or ahead', () => {
    const year = 365 * 86_400_000
    const epochs = [begin('', now)]
    for (const at of [now, now - year, now + 50 * year, now]) epochs.push(begin(epochs.at(-1) as string, at))
    expect(epochs.map(epoch => numberOf(epoch) - now)).toEqual([0, 2, 4, 50 * year, 50 * year + 2])
    epochs.forEach((epoch, at) => {
      expect(epochs.filter(other => isBefore(other, epoch))).toEqual(epochs.slice(0, at))
    })
    expect(isBefore('', epochs[0] as string)).toBe(true)
  })

  it.each([20.5, 0.5, -5])('can be read although the page has replaced `Date.now`, which returns %s', at => {
    for (const epoch of [begin('', at), begin('17.random', at)])
      expect(parseIdentity(stringifyIdentity(epoch, 'logout')).epoch).toBe(epoch)
  })

  it('differs from one that another tab begins at the same moment, and all agree which is the earlier one', () => {
    for (let times = 0; times < 100; times++) {
      const [one, other] = [begin('17.random', now), begin('17.random', now)]
      expect(one).not.toBe(other)
      expect(isBefore(one, other)).toBe(!isBefore(other, one))
    }
  })

  it('of a login is before those that begin at the same moment, so that a logout wins', () => {
    for (let times = 0; times < 100; times++) {
      expect(isBefore(begin('', now, 'login'), begin('', now))).toBe(true)
    }
  })

  it('in which the same visitor goes on has the same nonce', () => {
    const before = begin('', now)
    const after = continuedEpoch(before, before)
    expect([isBefore(before, after), isContinued(before, after), isContinued(before, begin(before, now))]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('of a logout is after one in which the visitor goes on in another tab, also if the clock was set back', () => {
    for (let times = 0; times < 100; times++) {
      const before = begin('', now)
      expect(isBefore(continuedEpoch(before, before), begin(before, now - 3_600_000))).toBe(true)
    }
  })
})
