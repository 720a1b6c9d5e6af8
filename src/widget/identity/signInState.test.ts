import { describe, expect, it } from 'vitest'
import { nextSignInState, type SignInEvent, type SignInState } from './signInState.ts'

const states: SignInState[] = ['unasked', 'asked', 'late', 'unanswered', 'failed', 'stale', 'confirmed']
const always = (next: SignInState) => states.map(() => next)

/** For each event the next state, in the order of `states`. */
const table: [SignInEvent, SignInState[]][] = [
  [{ type: 'asked' }, always('asked')],
  [{ type: 'late' }, ['unasked', 'late', ...states.slice(2)]],
  [{ type: 'sent' }, ['unasked', 'asked', 'unanswered', 'unanswered', 'unanswered', 'stale', 'confirmed']],
  [{ type: 'notAsked' }, always('unasked')],
  [{ type: 'failed' }, always('failed')],
  [{ type: 'confirmed', isAway: false }, always('confirmed')],
  [{ type: 'confirmed', isAway: true }, always('stale')],
  [{ type: 'concealed', isAnonymous: false }, [...states.slice(0, -1), 'stale']],
  [{ type: 'concealed', isAnonymous: true }, ['stale', 'asked', 'late', 'unanswered', 'stale', 'stale', 'stale']],
]

describe('nextSignInState', () => {
  it.each(table)('changes every state as expected on %j', (event, expected) => {
    expect(states.map(state => nextSignInState(state, event))).toEqual(expected)
  })

  it('never shows a contact without a confirmation', () => {
    const isNew = (state: SignInState, index: number) => state === 'confirmed' && states[index] !== 'confirmed'
    const confirming = table.filter(([, next]) => next.some(isNew)).map(([event]) => event)
    expect(confirming).toEqual([{ type: 'confirmed', isAway: false }])
  })
})
