import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Deps } from './session/sessionScope.ts'

/** Whether the panel is open. */
export interface PanelModel {
  readonly isOpen: ReadonlySignal<boolean>
  /** Whether the panel takes the focus when it opens. Not when it is open from the start, as a part of the page. */
  readonly shouldTakeFocus: ReadonlySignal<boolean>
  close(): void
}

/** What the rest of the core does with the panel. */
export interface PanelCore extends PanelModel {
  setOpen(open: boolean, takeFocus?: boolean): void
}

export function createPanel({ emit }: Pick<Deps, 'emit'>, onOpen: () => void): PanelCore {
  const isOpen = signal(false)
  const shouldTakeFocus = signal(true)

  function setOpen(next: boolean, takeFocus = true) {
    if (next === isOpen.peek()) return
    shouldTakeFocus.value = takeFocus
    isOpen.value = next
    if (next) onOpen()
    emit(next ? 'open' : 'close')
  }

  return { isOpen, shouldTakeFocus, setOpen, close: () => setOpen(false) }
}
