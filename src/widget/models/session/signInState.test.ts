import { describe, expect, it } from 'vitest'
import { nextSignInState, type SignInEvent, type SignInState } from './signInState.ts'

const states: SignInState[] = ['unknown', 'unreachable', 'failed', 'stale', 'confirmed']

/** For each event the next state, in the order of `states`. */
const table: [SignInEvent, SignInState[]][] = [
  [{ type: 'asked' }, ['unknown', 'unknown', 'unknown', 'unknown', 'unknown']],
  [{ type: 'unreachable' }, ['unreachable', 'unreachable', 'unreachable', 'unreachable', 'unreachable']],
  [{ type: 'failed' }, ['failed', 'failed', 'failed', 'failed', 'failed']],
  [{ type: 'confirmed', isAway: false }, ['confirmed', 'confirmed', 'confirmed', 'confirmed', 'confirmed']],
  [{ type: 'confirmed', isAway: true }, ['stale', 'stale', 'stale', 'stale', 'stale']],
  [{ type: 'concealed', isAnonymous: false }, ['unknown', 'unreachable', 'failed', 'stale', 'stale']],
  [{ type: 'concealed', isAnonymous: true }, ['stale', 'stale', 'stale', 'stale', 'stale']],
]

describe('nextSignInState', () => {
  it.each(table)('follows %j from every state', (event, expected) => {
    expect(states.map(state => nextSignInState(state, event))).toEqual(expected)
  })

  it('never shows a contact without a confirmation', () => {
    const confirming = table.filter(([, next]) => next.includes('confirmed')).map(([event]) => event)
    expect(confirming).toEqual([{ type: 'confirmed', isAway: false }])
  })
})
