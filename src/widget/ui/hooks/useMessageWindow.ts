import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

/** Rows that are mounted at most, and by how many the window moves when the visitor comes near either end. */
const maxRows = 120
const step = 40

/** The part of a long list that is mounted: its end, until the visitor goes elsewhere. */
export interface MessageWindow {
  /** Index of the first mounted row, and of the first one behind the last. */
  readonly from: ReadonlySignal<number>
  readonly to: ReadonlySignal<number>
  /** Whether nothing is left out at the end. */
  readonly isAtEnd: ReadonlySignal<boolean>
  /** These move by some rows, or as far as there are any. */
  moveUp(): void
  moveDown(): void
  /** Moves to the end, and then follows it. */
  moveToEnd(): void
}

/** The window is held by an id, so that it stays where it is when the list grows at either end. */
export function useMessageWindow(list: ReadonlySignal<readonly { id: string }[]>): MessageWindow {
  /** The id of the last mounted row. Without one, or with one that is not in the list, the window ends where the list does. */
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
