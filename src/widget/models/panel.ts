import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Deps } from './session/sessionScope.ts'

/** Whether the panel is open. */
export interface PanelModel {
  readonly isOpen: ReadonlySignal<boolean>
  close(): void
}

/** What the rest of the core does with the panel. */
export interface PanelCore extends PanelModel {
  setOpen(open: boolean): void
}

export function createPanel({ emit }: Pick<Deps, 'emit'>, onOpen: () => void): PanelCore {
  const isOpen = signal(false)

  function setOpen(next: boolean) {
    if (next === isOpen.peek()) return
    isOpen.value = next
    if (next) onOpen()
    emit(next ? 'open' : 'close')
  }

  return { isOpen, setOpen, close: () => setOpen(false) }
}
