import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Deps } from './session/sessionScope.ts'

/** Whether the panel is open. */
export interface PanelModel {
  readonly isOpen: ReadonlySignal<boolean>
  /** What had the focus when the chat was asked for. */
  readonly opener: ReadonlySignal<Element | null>
  /** How often the chat has been asked for; grows while it is open, too. */
  readonly openCount: ReadonlySignal<number>
  close(): void
  /** Tells the page that the panel could not be rendered. */
  reportRenderError(): void
}

/** What the rest of the core does with the panel. */
export interface PanelCore extends PanelModel {
  setOpen(open: boolean, opener?: Element | null): void
}

export function createPanel({ emit }: Pick<Deps, 'emit'>, onOpen: () => void): PanelCore {
  const isOpen = signal(false)
  const opener = signal<Element | null>(null)
  const openCount = signal(0)

  function setOpen(next: boolean, nextOpener: Element | null = null) {
    if (next) openCount.value++
    if (next === isOpen.peek()) return
    opener.value = nextOpener
    isOpen.value = next
    if (next) onOpen()
    emit(next ? 'open' : 'close')
  }

  return {
    isOpen,
    opener,
    openCount,
    setOpen,
    close: () => setOpen(false),
    reportRenderError: () => emit('error', { code: 'render_failed' }),
  }
}
