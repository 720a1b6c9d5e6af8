import type { DraftVersion } from '../storage/guards.ts'

/** How many finished drafts are remembered: far more than a frozen tab can miss of one person. */
const keptFinishedIds = 20

/** Another text. A draft that has been sent is followed by a new one, which gets `newId`. */
export function editDraft(draft: DraftVersion, text: string, newId: () => string): DraftVersion {
  const isFresh = !draft.id || draft.finishedIds.includes(draft.id)
  return isFresh ? { ...draft, id: newId(), revision: 1, text } : { ...draft, revision: draft.revision + 1, text }
}

/** The draft has been sent. */
export function finishDraft(draft: DraftVersion): DraftVersion {
  const finishedIds = draft.id ? mergeIds(draft.finishedIds, [draft.id]) : draft.finishedIds
  return { ...draft, revision: draft.revision + 1, text: '', finishedIds }
}

/**
 * What remains of a draft and another version that arrives later. Of one draft the higher revision wins; of two drafts the
 * later arrival, unless it is empty; a draft that either side knows to be finished never comes back.
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
  [...new Set([...one, ...other])].slice(-keptFinishedIds)
