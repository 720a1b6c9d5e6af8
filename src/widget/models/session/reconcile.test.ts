import { describe, expect, it } from 'vitest'
import type { EpochReason } from '../../storage/epoch.ts'
import { reconcile, type Transition } from './reconcile.ts'
import type { SessionScope } from './sessionScope.ts'
import type { SessionState } from './sessionState.ts'

const hex = (digit: string) => digit.repeat(64)
const own = { contact: `c:${hex('a')}`, visitor: `v:${hex('a')}` }
const ended = `c:${hex('e')}`

const scopeOf = (token: string | null): SessionScope => ({
  key: '1',
  epoch: '5.series.own',
  token,
  abortSignal: new AbortController().signal,
})
const states = {
  inactive: { kind: 'inactive' },
  suspended: { kind: 'suspended', scope: scopeOf(own.contact) },
  'anonymous without a token': { kind: 'anonymous', scope: scopeOf(null) },
  'anonymous after an end': { kind: 'anonymous', scope: scopeOf(null), endedTokenPrefix: ended.slice(0, 9) },
  'anonymous with a token': { kind: 'anonymous', scope: scopeOf(own.visitor) },
  'restoring a contact': { kind: 'restoring', scope: scopeOf(own.contact) },
  'restoring a visitor': { kind: 'restoring', scope: scopeOf(own.visitor) },
  identifying: { kind: 'identifying', scope: scopeOf(null) },
  awaitingRemoteLogin: { kind: 'awaitingRemoteLogin', scope: scopeOf(null) },
  identified: { kind: 'identified', scope: scopeOf(own.contact), contact: { id: 'ada', name: 'Ada' } },
} as const satisfies Record<string, SessionState>

const epochs = {
  same: '5.series.own',
  'at once': '5.series.other',
  next: '6.series.other',
  later: '7.series.other',
  earlier: '4.series.other',
  'other series': '1.another.other',
  none: '',
}
const reasons: EpochReason[] = ['login', 'logout', 'revoked', 'expired', 'contact_deleted', 'storage_empty']
const tokens = { none: null, own: '', contact: `c:${hex('b')}`, visitor: `v:${hex('b')}`, ended }

const anyone = 'restoring a contact|identifying|awaitingRemoteLogin|identified'
const visitors = 'anonymous without a token|anonymous after an end|anonymous with a token|restoring a visitor'
const newer = 'at once|next|later|other series'
const following = 'at once|next'

/**
 * State, stored epoch, its reason, stored token: what to do. The first row that fits counts. `own` is the token of the
 * state, and `ended` the one whose session it has seen end; `|` separates alternatives.
 */
const table: [state: string, epoch: string, reason: string, token: string, transition: string][] = [
  ['inactive|suspended', '*', '*', '*', 'nothing'],

  // Storage has been emptied.
  [visitors, 'none', '*', '*', 'endSession storage_empty, unsent text goes on'],
  [anyone, 'none', '*', '*', 'endSession logout'],
  // A late write has put an epoch back that is over.
  [visitors, 'earlier', 'expired|storage_empty', '*', 'endSession storage_empty, unsent text goes on'],
  ['*', 'earlier', '*', '*', 'endSession logout'],

  // Within one epoch only the token differs.
  ['identifying', 'same', '*', '*', 'nothing'],
  ['*', 'same', '*', 'own', 'nothing'],
  ['anonymous after an end', 'same', '*', 'none|ended', 'nothing'],
  ['anonymous without a token|awaitingRemoteLogin', 'same', '*', 'none', 'nothing'],
  [visitors, 'same', '*', 'none', 'endSession storage_empty, unsent text goes on'],
  [anyone, 'same', '*', 'none', 'endSession logout'],
  ['identified', 'same', '*', 'contact|visitor|ended', 'refreshToken'],
  ['anonymous without a token|anonymous after an end', 'same', '*', 'visitor', 'adoptAnonymousToken'],
  ['*', 'same', '*', 'contact|visitor|ended', 'restore'],

  // Another epoch: another tab has done something.
  ['anonymous after an end', newer, 'login', 'ended', 'awaitRemoteLogin'],
  ['anonymous after an end', newer, 'storage_empty', 'ended', 'becomeAnonymous, unsent text goes on'],
  ['anonymous after an end', following, 'expired', 'ended', 'becomeAnonymous, unsent text goes on'],
  ['anonymous after an end', newer, '*', 'ended', 'becomeAnonymous'],
  ['*', newer, '*', 'contact|visitor|ended', 'restore'],
  ['*', newer, 'login', 'none|own', 'awaitRemoteLogin'],
  [visitors, newer, 'storage_empty', 'none|own', 'becomeAnonymous, unsent text goes on'],
  [visitors, following, 'expired', 'none|own', 'becomeAnonymous, unsent text goes on'],
  ['*', newer, '*', 'none|own', 'becomeAnonymous'],
]

const fits = (pattern: string, value: string) => pattern === '*' || pattern.split('|').includes(value)

function describeTransition(transition: Transition): string {
  if (transition.do !== 'endSession' && transition.do !== 'becomeAnonymous') return transition.do
  const reason = transition.do === 'endSession' ? ` ${transition.reason}` : ''
  return `${transition.do}${reason}${transition.keepUnsent ? ', unsent text goes on' : ''}`
}

const combinations = Object.entries(states).flatMap(([state, current]) =>
  Object.entries(epochs).flatMap(([epochName, epoch]) =>
    reasons.flatMap(reason =>
      Object.entries(tokens).map(([tokenName, other]) => {
        const ownToken = current.kind === 'inactive' ? null : current.scope.token
        const token = tokenName === 'own' ? ownToken : other
        return { names: [state, epochName, reason, tokenName] as const, current, stored: { epoch, reason, token } }
      }),
    ),
  ),
)

describe('reconcile', () => {
  it('decides every combination of a state and a stored identity', () => {
    const unused = new Set(table)
    for (const { names, current, stored } of combinations) {
      const row = table.find(patterns => names.every((name, at) => fits(patterns[at] as string, name)))
      if (row) unused.delete(row)
      expect([...names, describeTransition(reconcile(current, stored))]).toEqual([...names, row?.[4]])
    }
    expect(combinations).toHaveLength(10 * 7 * 6 * 5)
    expect([...unused]).toEqual([])
  })

  it('names the stored epoch and token, and why the identity changed', () => {
    for (const { current, stored } of combinations) {
      const transition = reconcile(current, stored)
      const reason = stored.reason === 'storage_empty' ? 'logout' : stored.reason
      const isReplaced = current.kind === 'identified' && reason === 'login'
      if (transition.do === 'restore') expect(transition.token).toBe(stored.token)
      if (transition.do === 'restore' || transition.do === 'awaitRemoteLogin') {
        expect([transition.epoch, transition.reason]).toEqual([stored.epoch, isReplaced ? 'replaced' : reason])
      }
      if (transition.do === 'becomeAnonymous') {
        expect([transition.epoch, transition.reason]).toEqual([stored.epoch, stored.reason])
      }
    }
  })

  it('never lets the text of a contact, or text from before a login, go on', () => {
    for (const { names, current, stored } of combinations) {
      const transition = reconcile(current, stored)
      if (!('keepUnsent' in transition && transition.keepUnsent)) continue
      expect(visitors.split('|')).toContain(names[0])
      expect(['expired', 'storage_empty', ...(names[1] === 'none' || names[1] === 'same' ? reasons : [])]).toContain(
        stored.reason,
      )
    }
  })
})
