import { describe, expect, it } from 'vitest'
import { mayChangePerson, nextSignInState, type SignInEvent, type SignInState } from './signInState.ts'

const states: SignInState[] = ['unasked', 'asked', 'unreachable', 'notAsked', 'failed', 'stale', 'confirmed']
const always = (next: SignInState) => states.map(() => next)

/** For each event the next state, in the order of `states`. */
const table: [SignInEvent, SignInState[]][] = [
  [{ type: 'asked' }, always('asked')],
  [{ type: 'unreachable' }, always('unreachable')],
  [{ type: 'answered' }, always('asked')],
  [{ type: 'notAsked' }, always('notAsked')],
  [{ type: 'failed' }, always('failed')],
  [{ type: 'confirmed', isAway: false }, always('confirmed')],
  [{ type: 'confirmed', isAway: true }, always('stale')],
  [{ type: 'concealed', isAnonymous: false }, [...states.slice(0, -1), 'stale']],
  [{ type: 'concealed', isAnonymous: true }, ['stale', 'asked', 'unreachable', 'stale', 'stale', 'stale', 'stale']],
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

it('whoever writes while a question is open is the same person until the page is hidden', () => {
  const before = (event: SignInEvent) => states.filter(state => mayChangePerson(state, event))
  expect(before({ type: 'asked' })).toEqual(['unasked', 'notAsked', 'failed', 'stale', 'confirmed'])
  expect(before({ type: 'concealed', isAnonymous: true })).toEqual(states)
  expect(before({ type: 'answered' })).toEqual([])
  expect(before({ type: 'confirmed', isAway: false })).toEqual([])
})
