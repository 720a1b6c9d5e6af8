import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Deps } from './session/sessionScope.ts'
import { updateState } from './updateState.ts'

/** Whether the panel is open. */
export interface PanelModel {
  readonly isOpen: ReadonlySignal<boolean>
  /** What had the focus when the chat was asked for. */
  readonly opener: ReadonlySignal<Element | null>
  /** Whether the panel takes the focus when it opens. Not when it is open from the start, as a part of the page. */
  readonly shouldTakeFocus: ReadonlySignal<boolean>
  /** How often the chat has been asked for; grows while it is open, too. */
  readonly openCount: ReadonlySignal<number>
  close(): void
  /** Tells the page that the panel could not be rendered. */
  reportRenderError(): void
}

/** What the rest of the core does with the panel. */
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
