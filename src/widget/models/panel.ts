import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Deps } from './session/sessionScope.ts'
import { updateState } from './updateState.ts'

/** The state of the panel. */
export interface PanelModel {
  readonly isOpen: ReadonlySignal<boolean>
  /** The element that had the focus when the visitor or the page opened the chat. */
  readonly opener: ReadonlySignal<Element | null>
  /** Whether the panel takes the focus when it opens. False for an inline panel, which is open from the start. */
  readonly shouldTakeFocus: ReadonlySignal<boolean>
  /** How often opening was requested, including requests while the panel was open. */
  readonly openCount: ReadonlySignal<number>
  close(): void
  /** Emits `error`, because the panel could not be rendered. */
  reportRenderError(): void
}

/** The part of the model that the rest of the core uses. */
export interface PanelCore extends PanelModel {
  setOpen(open: boolean, focus?: { opener: Element | null; shouldTakeFocus: boolean }): void
}

export function createPanel({ emit }: Pick<Deps, 'emit'>, onOpen: () => void): PanelCore {
  const isOpen = signal(false)
  const opener = signal<Element | null>(null)
  const shouldTakeFocus = signal(true)
  const openCount = signal(0)

  const setOpen: PanelCore['setOpen'] = (next, focus = { opener: null, shouldTakeFocus: true }) => {
    const hasChanged = next !== isOpen.peek()
    updateState(() => {
      if (next) openCount.value = openCount.peek() + 1
      if (!hasChanged) return
      opener.value = focus.opener
      shouldTakeFocus.value = focus.shouldTakeFocus
      isOpen.value = next
    })
    if (!hasChanged) return
    if (next) onOpen()
    emit(next ? 'open' : 'close')
  }

  return {
    isOpen,
    opener,
    shouldTakeFocus,
    openCount,
    setOpen,
    close: () => setOpen(false),
    reportRenderError: () => emit('error', { code: 'render_failed' }),
  }
}
