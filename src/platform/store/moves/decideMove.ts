import { hasLapsed, type Move } from './move.ts'

export type MoveCommand = 'copy' | 'finish' | 'abandon'

/** What one of the two databases holds of an organization. */
export interface Holding {
  hasOrganization: boolean
  move?: Move | undefined
}

export interface Holdings {
  from: Holding
  to: Holding
}

/** Why a command changes nothing. */
export type MoveRefusal =
  | 'from_lacks_organization'
  | 'copy_is_running'
  | 'copied_already'
  | 'to_holds_earlier_copy'
  | 'to_holds_organization'
  | 'not_copied_yet'
  | 'to_lacks_copy'
  | 'finish_has_begun'
  | 'from_is_the_new_database'
  | 'to_is_the_old_database'

export type MoveDecision =
  | { kind: 'copy' }
  | { kind: 'finish' }
  | { kind: 'abandon'; deletesCopy: boolean }
  | { kind: 'refuse'; reason: MoveRefusal }

const refuse = (reason: MoveRefusal): MoveDecision => ({ kind: 'refuse', reason })

/** Decides what a command does. `nowMs` is the time by the clock of the database that the organization leaves. */
export function decideMove(command: MoveCommand, holdings: Holdings, nowMs: number): MoveDecision {
  switch (command) {
    case 'copy':
      return decideCopy(holdings, nowMs)
    case 'finish':
      return decideFinish(holdings)
    case 'abandon':
      return decideAbandon(holdings)
  }
}

function decideCopy({ from, to }: Holdings, nowMs: number): MoveDecision {
  if (!from.hasOrganization) return refuse('from_lacks_organization')
  if (from.move && !hasLapsed(from.move, nowMs))
    return refuse(from.move.state === 'copying' ? 'copy_is_running' : 'copied_already')
  // "arriving" is from a run that was killed: it has left no rows.
  if (to.move && to.move.state !== 'arriving') return refuse('to_holds_earlier_copy')
  return to.hasOrganization ? refuse('to_holds_organization') : { kind: 'copy' }
}

function decideFinish({ from, to }: Holdings): MoveDecision {
  if (from.move?.state !== 'copied' && from.move?.state !== 'leaving') return refuse('not_copied_yet')
  // An earlier run has opened the organization in the new database, and was killed while it deleted rows in the old one.
  const isOpen = to.move === undefined && from.move.state === 'leaving'
  const hasArrived = to.hasOrganization && (isOpen || to.move?.state === 'arrived')
  return hasArrived ? { kind: 'finish' } : refuse('to_lacks_copy')
}

function decideAbandon({ from, to }: Holdings): MoveDecision {
  switch (from.move?.state) {
    case 'leaving':
      return refuse('finish_has_begun')
    case 'arriving':
    case 'arrived':
      return refuse('from_is_the_new_database')
  }
  if (!from.hasOrganization) return refuse('from_lacks_organization')
  if (to.move?.state === 'copying' || to.move?.state === 'copied') return refuse('to_is_the_old_database')
  // Without a state the new database holds no copy. If it holds the organization, that takes writes there.
  return { kind: 'abandon', deletesCopy: to.move !== undefined }
}
