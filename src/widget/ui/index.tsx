import { effect } from '@preact/signals-core'
import type { Models } from '../app/createApp.ts'
import css from '../styles/panel.css?inline'
import { keepScrollEvents } from './keepScrollEvents.ts'
import { openPanel } from './Panel.tsx'
import { createTexts } from './texts.ts'

/** Draws the panel into the widget's shadow root whenever it is open; the undo leaves nothing behind. */
export function mountPanel(root: ShadowRoot, models: Models): () => void {
  const before = root.adoptedStyleSheets.length
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  const texts = createTexts(root, models)
  const releaseScrollEvents = keepScrollEvents(root)
  // Closing, or ending this effect, calls the undo.
  const end = effect(() =>
    models.panel.open.value && models.areStringsReady.value ? openPanel(root, sheet, models, texts) : undefined,
  )
  return () => {
    end()
    releaseScrollEvents()
    root.adoptedStyleSheets.splice(before)
  }
}
