import { describe, expect, it } from 'vitest'
import { nextSignInState, type SignInEvent, type SignInState } from './signInState.ts'

const states: SignInState[] = [
  'unasked',
  'firstAsked',
  'firstUnreachable',
  'unknown',
  'unreachable',
  'notAsked',
  'failed',
  'stale',
  'confirmed',
]
const always = (next: SignInState) => states.map(() => next)

/** For each event the next state, in the order of `states`. */
const table: [SignInEvent, SignInState[]][] = [
  [{ type: 'asked' }, ['firstAsked', 'firstAsked', 'firstAsked', ...states.slice(3).map(() => 'unknown' as const)]],
  [
    { type: 'unreachable' },
    ['unreachable', 'firstUnreachable', 'firstUnreachable', ...states.slice(3).map(() => 'unreachable' as const)],
  ],
  [{ type: 'notAsked' }, always('notAsked')],
  [{ type: 'failed' }, always('failed')],
  [{ type: 'confirmed', isAway: false }, always('confirmed')],
  [{ type: 'confirmed', isAway: true }, always('stale')],
  [{ type: 'concealed', isAnonymous: false }, [...states.slice(0, -1), 'stale']],
  [{ type: 'concealed', isAnonymous: true }, always('stale')],
]

describe('nextSignInState', () => {
  it.each(table)('changes every state as expected on %j', (event, expected) => {
    expect(states.map(state => nextSignInState(state, event))).toEqual(expected)
  })

  it('never shows a contact without a confirmation', () => {
    const confirming = table.filter(([, next]) => next.includes('confirmed')).map(([event]) => event)
    expect(confirming).toEqual([{ type: 'confirmed', isAway: false }])
  })
})
