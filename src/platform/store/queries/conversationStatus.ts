import type { ConversationStateName } from '../../../contract/index.ts'
import type { Flag } from '../database.ts'

/** Who answers a conversation. `nextStatus` alone decides how it changes. */
export interface ConversationStatus {
  state: ConversationStateName
  /** The member who owns it; only while it is `open`. */
  assigneeId: string | null
  /** Only while it is `waiting`. */
  waitingSince: string | null
  /**
   * Until when the responder is silent, after a handover or a message of the organization's server; only while it is
   * `waiting` or `open`. `null` then means: until somebody hands it back.
   */
  pausedUntil: string | null
}

/** The columns of `ConversationStatus` in a query that names the conversations `v`. */
export const statusColumns = `v.state, v.assignee_id AS "assigneeId", v.waiting_since AS "waitingSince",
  v.paused_until AS "pausedUntil"`

/** What can change who answers. */
export type StatusChange =
  | { type: 'visitor_wrote' | 'closed' | 'reopened' }
  | { type: 'handed_over'; until: string }
  | { type: 'claimed'; memberId: string }
  /** The organization's own server has sent a message. */
  | { type: 'server_wrote'; until: string }
  /** Somebody has handed it back, or the pause is over. `isAnswered`: a person has written last. */
  | { type: 'handed_back'; isAnswered: boolean }
  /** The owner is away, and the visitor has been waiting since then. If nobody answers by `until`, the responder does again. */
  | { type: 'released'; since: string; until: string }

const nobody = { assigneeId: null, waitingSince: null, pausedUntil: null }
const byBot: ConversationStatus = { state: 'bot', ...nobody }
const closed: ConversationStatus = { state: 'closed', ...nobody }
const waiting = (waitingSince: string): ConversationStatus => ({ ...nobody, state: 'waiting', waitingSince })

/** Whether the responder is silent, because a person answers or is waited for. */
export const isPaused = ({ state, pausedUntil }: ConversationStatus, now: string): boolean =>
  (state === 'open' || state === 'waiting') && (pausedUntil === null || pausedUntil > now)

/** Who answers after a change. Without a responder, the visitor waits for a person wherever the responder would answer. */
export function nextStatus(
  status: ConversationStatus,
  change: StatusChange,
  { at, hasResponder }: { at: string; hasResponder: Flag },
): ConversationStatus {
  switch (change.type) {
    case 'visitor_wrote':
    case 'reopened':
      // The end of a handover is still to be told.
      if (isPaused(status, at) || status.state === 'waiting') return status
      return hasResponder ? byBot : waiting(at)
    case 'handed_over':
      return { ...waiting(status.waitingSince ?? at), pausedUntil: change.until }
    case 'claimed':
      return { ...nobody, state: 'open', assigneeId: change.memberId }
    case 'server_wrote': {
      const { assigneeId } = status
      return { ...nobody, state: 'open', assigneeId, pausedUntil: assigneeId === null ? change.until : null }
    }
    case 'handed_back':
      if (hasResponder) return byBot
      return change.isAnswered ? closed : waiting(status.waitingSince ?? at)
    case 'closed':
      return closed
    case 'released':
      return { ...waiting(change.since), pausedUntil: hasResponder ? change.until : null }
  }
}
