import type { DeskConversation, DeskView } from '../../contract/desk.ts'
import type { Filters } from '../router.ts'
import { compareIn, isInView, passesFilters } from './views.ts'

/** What the list shows, and what it does not show yet. */
export interface Arrangement {
  ids: readonly string[]
  /** New conversations of the view that would move what somebody looks at. */
  newRows: readonly string[]
}

export interface ArrangementContext {
  view: DeskView
  filters: Filters
  memberId: string
  /** The newest known version of each conversation. */
  known: ReadonlyMap<string, DeskConversation>
  selectedId: string | null
  /** The number of rows at the top that must not move. */
  fixedRows: number
  /** Whether the list has further pages. Then what comes after its last row belongs to them. */
  hasMore: boolean
}

/**
 * Puts the conversations of a view in order without moving its first rows. A conversation that has left the view disappears,
 * unless it is selected.
 */
export function arrangeRows(ids: readonly string[], context: ArrangementContext): Arrangement {
  const { known, selectedId, view, filters } = context
  const isOfView = (conversation: DeskConversation) =>
    isInView(conversation, view, context.memberId) && passesFilters(conversation, filters)
  const compare = (one: DeskConversation, other: DeskConversation) => compareIn(view, one, other)
  const shown = ids.flatMap(id => {
    const conversation = known.get(id)
    return conversation && (id === selectedId || isOfView(conversation)) ? [conversation] : []
  })
  const fixedIds = new Set(ids.slice(0, context.fixedRows))
  const fixed = shown.filter(({ id }) => fixedIds.has(id))
  const moving = shown.filter(({ id }) => !fixedIds.has(id)).sort(compare)
  const lastFixed = fixed.at(-1)
  const last = moving.at(-1) ?? lastFixed

  const shownIds = new Set(ids)
  const arrived = [...known.values()].filter(
    conversation =>
      !shownIds.has(conversation.id) &&
      isOfView(conversation) &&
      !(context.hasMore && last && compare(conversation, last) > 0),
  )
  const mustWait = (conversation: DeskConversation) => !!lastFixed && compare(conversation, lastFixed) < 0
  const inserted = arrived.filter(conversation => !mustWait(conversation))
  return {
    ids: [...fixed, ...[...moving, ...inserted].sort(compare)].map(({ id }) => id),
    newRows: arrived.filter(mustWait).map(({ id }) => id),
  }
}
