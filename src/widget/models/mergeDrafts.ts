import type { DraftVersion } from '../storage/guards.ts'

/** How many finished drafts are remembered: far more than one person sends while a tab is frozen. */
const maxFinishedIds = 20

/** Changes the text. If the draft has been sent, this begins a new one with an id from `newId`. */
export function editDraft(draft: DraftVersion, text: string, newId: () => string): DraftVersion {
  const isFresh = !draft.id || draft.finishedIds.includes(draft.id)
  return isFresh ? { ...draft, id: newId(), revision: 1, text } : { ...draft, revision: draft.revision + 1, text }
}

/** Marks the draft as sent and empties it. */
export function finishDraft(draft: DraftVersion): DraftVersion {
  const finishedIds = draft.id ? mergeIds(draft.finishedIds, [draft.id]) : draft.finishedIds
  return { ...draft, revision: draft.revision + 1, text: '', finishedIds }
}

/**
 * Merges a version that arrives later. Of the same draft, the higher revision wins. Of two drafts, the incoming one wins
 * unless it is empty. A draft that either side has marked as sent never comes back.
 */
export function mergeDrafts(current: DraftVersion, incoming: DraftVersion): DraftVersion {
  const finishedIds = mergeIds(current.finishedIds, incoming.finishedIds)
  const textOf = ({ id, text }: DraftVersion) => (finishedIds.includes(id) ? '' : text)
  const takesIncoming =
    current.id === incoming.id ? incoming.revision > current.revision : textOf(incoming) !== '' || !textOf(current)
  const winner = takesIncoming ? incoming : current
  return { ...winner, text: textOf(winner), finishedIds }
}

const mergeIds = (one: readonly string[], other: readonly string[]) =>
  [...new Set([...one, ...other])].slice(-maxFinishedIds)
