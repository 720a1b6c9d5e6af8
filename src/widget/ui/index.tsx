import { effect } from '@preact/signals-core'
import type { Models } from '../core.ts'
import css from '../styles/panel.css?inline'
import { openPanel } from './Panel.tsx'

/** Draws the panel into the widget's shadow root whenever it is open; the undo leaves nothing behind. */
export function mountPanel(root: ShadowRoot, models: Models): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  // Closing, or ending this effect, calls the undo.
  const end = effect(() => (models.panel.open.value ? openPanel(root, sheet, models) : undefined))
  return () => {
    end()
    // Nobody else adopts any here.
    root.adoptedStyleSheets.pop()
  }
}
