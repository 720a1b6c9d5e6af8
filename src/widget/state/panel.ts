import type { ReadonlySignal } from '@preact/signals-core'

/** The panel itself: open or not, and the visitor's draft. */
export interface PanelModel {
  readonly open: ReadonlySignal<boolean>
  /** The composer's text; it belongs to the person, survives closing and reload, and goes with the session. */
  readonly draft: ReadonlySignal<string>
  setDraft(text: string): void
  close(): void
}
