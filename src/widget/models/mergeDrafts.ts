import type { DraftVersion } from '../storage/guards.ts'

/** How many finished drafts are remembered: far more than one person sends while a tab is frozen. */
const maxFinishedIds = 20

/** Changes the text. If the draft has been sent, this begins a new one. `newId` creates ids. */
export function editDraft(draft: DraftVersion, text: string, newId: () => string): DraftVersion {
  const isFresh = !draft.id || draft.finishedIds.includes(draft.id)
  const edited = isFresh ? { id: newId(), revision: 1 } : { id: draft.id, revision: draft.revision + 1 }
  return { ...draft, ...edited, text, messageId: newId() }
}

/** Marks the draft as sent and empties it. */
export function finishDraft(draft: DraftVersion): DraftVersion {
  const finishedIds = draft.id ? mergeIds(draft.finishedIds, [draft.id]) : draft.finishedIds
  return { ...draft, revision: draft.revision + 1, text: '', messageId: '', finishedIds }
}

/**
 * Merges a version that arrives later. Of the same draft, the higher revision wins. Of two drafts, the incoming one wins
 * unless it is empty. A draft that either side has marked as sent never comes back.
 */
export function mergeDrafts(current: DraftVersion, incoming: DraftVersion): DraftVersion {
  const finishedIds = mergeIds(current.finishedIds, incoming.finishedIds)
  const [currentText, incomingText] = [textOf(current, finishedIds), textOf(incoming, finishedIds)]
  const takesIncoming =
    current.id === incoming.id ? incoming.revision > current.revision : incomingText !== '' || !currentText
  return takesIncoming
    ? { ...incoming, text: incomingText, finishedIds }
    : { ...current, text: currentText, finishedIds }
}

/**
 * Merges a draft that was begun before the stored one was known. Neither text is lost: if both have one, the new one is
 * appended to the stored one.
 */
export function joinDrafts(stored: DraftVersion, begun: DraftVersion, newId: () => string): DraftVersion {
  const merged = mergeDrafts(stored, begun)
  const [storedText, begunText] = [textOf(stored, merged.finishedIds), textOf(begun, merged.finishedIds)]
  if (stored.id === begun.id || !storedText || !begunText) return merged
  // Neither must come back beside the joined one, which is another draft: a login in the tab that has begun the stored one
  // keeps only what was written there.
  const finishedIds = mergeIds(merged.finishedIds, [stored.id, begun.id])
  return editDraft({ ...stored, finishedIds }, `${storedText}\n${begunText}`, newId)
}

const textOf = ({ id, text }: DraftVersion, finishedIds: readonly string[]) => (finishedIds.includes(id) ? '' : text)

const mergeIds = (one: readonly string[], other: readonly string[]) =>
  [...new Set([...one, ...other])].slice(-maxFinishedIds)
