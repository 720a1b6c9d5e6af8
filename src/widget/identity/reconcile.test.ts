import { describe, expect, it } from 'vitest'
import { reconcile, type SessionState, type Transition, transitionOnStart } from './reconcile.ts'
import { SessionScope } from './sessionScope.ts'
import type { EpochReason } from './storedIdentity.ts'

const hex = (digit: string) => digit.repeat(64)
const own = { contact: `c:${hex('a')}`, visitor: `v:${hex('a')}` }

const scopeOf = (token: string | null, epoch = '5.own') => new SessionScope({ epoch, reason: 'revoked', token })
const states = {
  inactive: { kind: 'inactive' },
  suspended: { kind: 'suspended', scope: scopeOf(own.contact) },
  beginning: { kind: 'anonymous', scope: scopeOf(null, '') },
  'anonymous without a token': { kind: 'anonymous', scope: scopeOf(null) },
  'anonymous with a token': { kind: 'anonymous', scope: scopeOf(own.visitor) },
  'restoring a contact': { kind: 'restoring', scope: scopeOf(own.contact) },
  'restoring a visitor': { kind: 'restoring', scope: scopeOf(own.visitor) },
  'unable to restore a contact': { kind: 'restoreFailed', scope: scopeOf(own.contact) },
  'unable to restore a visitor': { kind: 'restoreFailed', scope: scopeOf(own.visitor) },
  identifying: { kind: 'identifying', scope: scopeOf(null) },
  awaitingRemoteLogin: { kind: 'awaitingRemoteLogin', scope: scopeOf(null) },
  identified: { kind: 'identified', scope: scopeOf(own.contact), contact: { id: 'ada', name: 'Ada' } },
} as const satisfies Record<string, SessionState>

const epochs = {
  same: '5.own',
  'later, of the same visitor': '6.own',
  later: '6.other',
  'later, though begun at once': '5.q',
  earlier: '4.other',
  'earlier, though begun at once': '5.n',
  none: '',
}
const reasons: EpochReason[] = [
  'login',
  'logout',
  'revoked',
  'expired',
  'contact_deleted',
  'storage_reset',
  'signed_out',
  'login_failed',
]
const tokens = { none: null, own: '', contact: `c:${hex('b')}`, visitor: `v:${hex('b')}` }

const contacts = 'restoring a contact|unable to restore a contact|identifying|awaitingRemoteLogin|identified'
const visitors = 'anonymous without a token|anonymous with a token|restoring a visitor|unable to restore a visitor'
const withToken =
  'anonymous with a token|restoring a contact|restoring a visitor|unable to restore a contact|unable to restore a visitor|identified'
const following = 'later, of the same visitor'
const later = 'later|later, though begun at once'
const newer = `${following}|${later}`
const earlier = 'earlier|earlier, though begun at once'

/**
 * State, stored epoch, its reason, stored token: what to do. The first row that fits counts. `own` is the token of the
 * state; `|` separates alternatives.
 */
const table: [state: string, epoch: string, reason: string, token: string, transition: string][] = [
  ['inactive|suspended', '*', '*', '*', 'nothing'],

  // Nothing is stored yet; what is stored then is another tab's.
  ['beginning', 'none', '*', '*', 'nothing'],
  ['beginning', '*', 'storage_reset', 'none|visitor|own', 'becomeAnonymous, unsent text goes on'],
  ['beginning', '*', '*', 'contact|visitor', 'restore'],
  ['beginning', '*', 'login', '*', 'awaitRemoteLogin'],
  ['beginning', '*', '*', '*', 'becomeAnonymous'],
  // Storage has been emptied.
  [visitors, 'none', '*', '*', 'beginFirstEpoch, unsent text goes on'],
  [contacts, 'none', '*', '*', 'beginAnonymousEpoch signed_out'],
  // A late write has put an epoch back that is over. It says nothing about the visitor.
  [visitors, earlier, '*', '*', 'beginAnonymousEpoch revoked, unsent text goes on'],
  [contacts, earlier, '*', '*', 'beginAnonymousEpoch signed_out'],

  // Within one epoch only the token differs.
  ['identifying', 'same', '*', '*', 'nothing'],
  ['*', 'same', '*', 'own', 'nothing'],
  ['anonymous without a token|awaitingRemoteLogin', 'same', '*', 'none', 'nothing'],
  [visitors, 'same', '*', 'none', 'beginAnonymousEpoch revoked, unsent text goes on'],
  [contacts, 'same', '*', 'none', 'beginAnonymousEpoch signed_out'],
  ['identified', 'same', '*', 'contact', 'adoptToken'],
  ['anonymous without a token', 'same', '*', 'visitor', 'adoptToken'],
  ['*', 'same', '*', 'contact|visitor', 'restore'],

  // Another epoch goes on where this anonymous one ends.
  [visitors, following, '*', 'none|visitor|own', 'becomeAnonymous, unsent text goes on'],
  [visitors, later, 'storage_reset', 'none|visitor|own', 'becomeAnonymous, unsent text goes on'],
  // Another tab has done something.
  ['*', newer, '*', 'contact|visitor', 'restore'],
  [withToken, newer, '*', 'own', 'restore'],
  ['*', newer, 'login', 'none|own', 'awaitRemoteLogin'],
  ['*', newer, '*', 'none|own', 'becomeAnonymous'],
]

const fits = (pattern: string, value: string) => pattern === '*' || pattern.split('|').includes(value)

function describeTransition(transition: Transition): string {
  if (!('keepUnsent' in transition)) return transition.do
  const reason = transition.do === 'beginAnonymousEpoch' ? ` ${transition.reason}` : ''
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
// Without an epoch nothing is read of a token.
const possible = combinations.filter(({ stored }) => stored.epoch || !stored.token)

describe('transitionOnStart', () => {
  it.each([
    [{ epoch: '', reason: 'logout', token: null }, 'beginFirstEpoch'],
    [{ epoch: '5.own', reason: 'login', token: null }, 'awaitRemoteLogin'],
    [{ epoch: '5.own', reason: 'expired', token: null }, 'becomeAnonymous'],
    [{ epoch: '5.own', reason: 'login', token: own.contact }, 'restore'],
    [{ epoch: '5.own', reason: 'storage_reset', token: own.visitor }, 'restore'],
  ] as const)('returns the transition of a page load that finds %o', (stored, transition) => {
    expect(describeTransition(transitionOnStart(stored))).toBe(transition)
  })
})

describe('reconcile', () => {
  it('returns the expected transition for every combination of state and stored identity', () => {
    const unused = new Set(table)
    for (const { names, current, stored } of possible) {
      const row = table.find(patterns => names.every((name, at) => fits(patterns[at] as string, name)))
      if (row) unused.delete(row)
      expect([...names, describeTransition(reconcile(current, stored))]).toEqual([...names, row?.[4]])
    }
    expect(combinations).toHaveLength(12 * 7 * 8 * 4)
    expect([...unused]).toEqual([])
  })

  it('returns the stored epoch and token, and the reason of the change', () => {
    for (const { current, stored } of combinations) {
      const transition = reconcile(current, stored)
      const reason = ['storage_reset', 'signed_out', 'login_failed'].includes(stored.reason) ? 'logout' : stored.reason
      const isReplaced = current.kind === 'identified' && reason === 'login' && stored.epoch !== current.scope.epoch
      if (transition.do === 'restore' || transition.do === 'awaitRemoteLogin') {
        expect([transition.stored, transition.reason]).toEqual([stored, isReplaced ? 'replaced' : reason])
      }
      if (transition.do === 'becomeAnonymous') {
        expect([transition.stored, transition.reason]).toEqual([stored, stored.reason])
      }
    }
  })

  it('never keeps unsent text of a contact, or text from before a login', () => {
    for (const { names, current, stored } of combinations) {
      const transition = reconcile(current, stored)
      if (!('keepUnsent' in transition && transition.keepUnsent)) continue
      expect(['beginning', ...visitors.split('|')]).toContain(names[0])
      const isOwn = ['same', 'none', following, ...earlier.split('|')].includes(names[1])
      expect(isOwn ? reasons : ['storage_reset']).toContain(stored.reason)
    }
  })
})
