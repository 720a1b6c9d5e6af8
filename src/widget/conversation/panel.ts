import { type ReadonlySignal, signal } from '@preact/signals-core'
import { updateState } from '../updateState.ts'
import type { Deps } from './deps.ts'

interface OpenFocus {
  opener: Element | null
  shouldTakeFocus: boolean
}

/** The part of the panel's state that the view uses. */
export type PanelModel = Pick<
  Panel,
  'isOpen' | 'opener' | 'shouldTakeFocus' | 'openCount' | 'close' | 'reportRenderError'
>

export class Panel {
  readonly #emit: Deps['emit']
  readonly #onOpen: () => void
  readonly #isOpen = signal(false)
  readonly #opener = signal<Element | null>(null)
  readonly #shouldTakeFocus = signal(true)
  readonly #openCount = signal(0)

  readonly isOpen: ReadonlySignal<boolean> = this.#isOpen
  /** The element that had the focus when the visitor or the page opened the chat. */
  readonly opener: ReadonlySignal<Element | null> = this.#opener
  /** Whether the panel takes the focus when it opens. False for an inline panel, which is open from the start. */
  readonly shouldTakeFocus: ReadonlySignal<boolean> = this.#shouldTakeFocus
  /** How often opening was requested, including requests while the panel was open. */
  readonly openCount: ReadonlySignal<number> = this.#openCount

  /** `onOpen` is called before the event `open` is emitted. */
  constructor({ emit }: Pick<Deps, 'emit'>, onOpen: () => void) {
    this.#emit = emit
    this.#onOpen = onOpen
  }

  setOpen = (open: boolean, focus: OpenFocus = { opener: null, shouldTakeFocus: true }): void => {
    const hasChanged = open !== this.#isOpen.peek()
    updateState(() => {
      if (open) this.#openCount.value = this.#openCount.peek() + 1
      if (!hasChanged) return
      this.#opener.value = focus.opener
      this.#shouldTakeFocus.value = focus.shouldTakeFocus
      this.#isOpen.value = open
    })
    if (!hasChanged) return
    if (open) this.#onOpen()
    this.#emit(open ? 'open' : 'close')
  }

  close = (): void => this.setOpen(false)

  /** Emits `error`, because the panel could not be rendered. */
  reportRenderError = (): void => this.#emit('error', { code: 'render_failed' })
}
