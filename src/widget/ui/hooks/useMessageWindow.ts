import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

/** The maximum number of mounted rows, and by how many the window moves when the visitor comes near one of its ends. */
const maxRows = 120
const step = 40

/** The part of a long list that is mounted. It follows the end of the list until the visitor scrolls up. */
export interface MessageWindow {
  /** The index of the first mounted row. `to` is the index after the last one. */
  readonly from: ReadonlySignal<number>
  readonly to: ReadonlySignal<number>
  /** Whether the last row of the list is mounted. */
  readonly isAtEnd: ReadonlySignal<boolean>
  /** Moves by some rows, at most to the start. */
  moveUp(): void
  moveDown(): void
  /** Moves to the end, and follows it from then on. */
  moveToEnd(): void
}

/**
 * Creates a message window. Its position is stored as an id, so that it stays the same when the list grows at either end.
 */
export function useMessageWindow(list: ReadonlySignal<readonly { id: string }[]>): MessageWindow {
  /** The id of the last mounted row. If it is undefined or not in the list, the window ends at the end of the list. */
  const lastId = useSignal<string | undefined>(undefined)
  const to = useComputed(() => list.value.findLastIndex(({ id }) => id === lastId.value) + 1 || list.value.length)
  const from = useComputed(() => Math.max(to.value - maxRows, 0))
  const isAtEnd = useComputed(() => to.value === list.value.length)
  const moveTo = (end: number) => {
    lastId.value = list.peek()[Math.max(end, maxRows) - 1]?.id
  }
  return useMemo(
    () => ({
      from,
      to,
      isAtEnd,
      moveUp: () => moveTo(to.peek() - step),
      moveDown: () => moveTo(to.peek() + step),
      moveToEnd: () => moveTo(Infinity),
    }),
    [],
  )
}
