import { describe, expect, it } from 'vitest'
import { presenceOf } from './presence.ts'
import { timestamp } from './time.ts'

const now = Date.UTC(2030, 0, 15, 12)
const minute = 60_000

describe('presenceOf', () => {
  it.each([
    ['online', 'was recorded within two minutes', { isAway: false, minutesAgo: 1.9 }],
    ['off', 'was not', { isAway: false, minutesAgo: 2 }],
    ['away', 'went away within an hour', { isAway: true, minutesAgo: 59 }],
    ['off', 'went away before that', { isAway: true, minutesAgo: 60 }],
  ] as const)('is %s for a member who %s', (presence, _, { isAway, minutesAgo }) => {
    expect(presenceOf({ isAway, activeAt: timestamp(now - minutesAgo * minute) }, now)).toBe(presence)
  })

  it('is off for a member who was never at the desk', () => {
    expect(presenceOf({ isAway: false, activeAt: null }, now)).toBe('off')
  })
})
