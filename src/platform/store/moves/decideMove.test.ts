import { describe, expect, it } from 'vitest'
import { decideMove, type Holding, type MoveCommand, type MoveDecision } from './decideMove.ts'
import type { MoveState } from './move.ts'

const nowMs = 1000
const absent: Holding = { hasOrganization: false }
const open: Holding = { hasOrganization: true }
const holds = (state: MoveState, leaseEndsMs: number | null = null): Holding => ({
  hasOrganization: true,
  move: { state, leaseEndsMs },
})
const running = holds('copying', nowMs + 1)
const lapsed = holds('copying', nowMs)
/** The rows of a copy appear with `arrived`. */
const arriving: Holding = { hasOrganization: false, move: { state: 'arriving', leaseEndsMs: null } }
/** Its rows are deleted, and its state is not. */
const emptied: Holding = { hasOrganization: false, move: { state: 'leaving', leaseEndsMs: null } }

type Case = { from: Holding; to: Holding; decision: MoveDecision['kind'] | string }
const cases: Record<MoveCommand, Record<string, Case>> = {
  copy: {
    'an open organization': { from: open, to: absent, decision: 'copy' },
    'again after a run was killed': { from: lapsed, to: arriving, decision: 'copy' },
    'an unknown organization': { from: absent, to: absent, decision: 'from_lacks_organization' },
    'beside a run': { from: running, to: arriving, decision: 'copy_is_running' },
    'what is copied': { from: holds('copied'), to: holds('arrived'), decision: 'copied_already' },
    'what leaves': { from: holds('leaving'), to: open, decision: 'copied_already' },
    'what has arrived and is not finished': { from: holds('arrived'), to: absent, decision: 'copied_already' },
    'over an earlier copy': { from: open, to: holds('arrived'), decision: 'to_holds_earlier_copy' },
    'over a copy that is being deleted': { from: open, to: emptied, decision: 'to_holds_earlier_copy' },
    'where it is open already': { from: open, to: open, decision: 'to_holds_organization' },
  },
  finish: {
    'what is copied': { from: holds('copied'), to: holds('arrived'), decision: 'finish' },
    'again, before it was opened': { from: holds('leaving'), to: holds('arrived'), decision: 'finish' },
    'again, while rows are left': { from: holds('leaving'), to: open, decision: 'finish' },
    'again, when no rows are left': { from: emptied, to: open, decision: 'finish' },
    'what was never copied': { from: open, to: absent, decision: 'not_copied_yet' },
    'beside a run': { from: running, to: arriving, decision: 'not_copied_yet' },
    'after a run was killed': { from: lapsed, to: arriving, decision: 'not_copied_yet' },
    'into another database': { from: holds('copied'), to: absent, decision: 'to_lacks_copy' },
    'into a database with an open organization of that id': {
      from: holds('copied'),
      to: open,
      decision: 'to_lacks_copy',
    },
    'after the commit of the copy failed': { from: holds('copied'), to: arriving, decision: 'to_lacks_copy' },
    'where the copy is being deleted': { from: holds('copied'), to: holds('leaving'), decision: 'to_lacks_copy' },
    'what is finished': { from: absent, to: open, decision: 'not_copied_yet' },
  },
  abandon: {
    'what is copied': { from: holds('copied'), to: holds('arrived'), decision: 'abandon, with the copy' },
    'a run that was killed': { from: lapsed, to: arriving, decision: 'abandon, with the copy' },
    'again, while rows of the copy are left': {
      from: holds('copied'),
      to: holds('leaving'),
      decision: 'abandon, with the copy',
    },
    'what the new database does not hold': { from: holds('copied'), to: absent, decision: 'abandon' },
    'what is open in both': { from: open, to: open, decision: 'abandon' },
    'an unknown organization': { from: absent, to: absent, decision: 'from_lacks_organization' },
    'what is opened in the new database': { from: holds('leaving'), to: open, decision: 'finish_has_begun' },
    'with --from and --to swapped': {
      from: holds('arrived'),
      to: holds('copied'),
      decision: 'from_is_the_new_database',
    },
    'with both swapped during a run': { from: arriving, to: running, decision: 'from_is_the_new_database' },
    'what comes from the other database': { from: open, to: holds('copied'), decision: 'to_is_the_old_database' },
  },
}

function describeDecision(decision: MoveDecision): string {
  if (decision.kind === 'refuse') return decision.reason
  return decision.kind === 'abandon' && decision.deletesCopy ? 'abandon, with the copy' : decision.kind
}

describe.each(Object.keys(cases) as MoveCommand[])('the command %s', command => {
  it.each(Object.entries(cases[command]))('%s', (_, { from, to, decision }) => {
    expect(describeDecision(decideMove(command, { from, to }, nowMs))).toBe(decision)
  })
})
