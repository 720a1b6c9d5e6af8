import { computed, type ReadonlySignal, signal } from '@preact/signals-core'

/** Rows that stand in the page at most, and how many of them change when the visitor comes near either end. */
const most = 120
const step = 40

/** Which part of a long list stands in the page: its end, until the visitor goes elsewhere. */
export interface MessageWindow {
  /** Indexes of the first row that does, and of the first one behind that no longer does. */
  readonly from: ReadonlySignal<number>
  readonly to: ReadonlySignal<number>
  /** Whether nothing is left out at the end. */
  readonly atEnd: ReadonlySignal<boolean>
  /** Goes up (-1) or down (1) as far as there is anything, or to the end (Infinity), which it then follows. */
  move(steps: number): void
}

/** The part of a list that stands in the page. It is held by an id, so that it stays when the list grows at either end. */
export function createMessageWindow(list: ReadonlySignal<readonly { id: string }[]>): MessageWindow {
  const lastId = signal<string | undefined>(undefined)
  const to = computed(() => list.value.findLastIndex(({ id }) => id === lastId.value) + 1 || list.value.length)
  return {
    from: computed(() => Math.max(to.value - most, 0)),
    to,
    atEnd: computed(() => to.value === list.value.length),
    move(steps) {
      lastId.value = list.peek()[Math.max(to.peek() + steps * step, most) - 1]?.id
    },
  }
}
