import { effect } from '@preact/signals-core'
import type { Models } from '../app/createApp.ts'
import css from '../styles/panel.css?inline'
import { openPanel } from './Panel.tsx'
import { createTexts } from './texts.ts'

/** Draws the panel into the widget's shadow root whenever it is open; the undo leaves nothing behind. */
export function mountPanel(root: ShadowRoot, models: Models, isInline = false): () => void {
  // Preact calls these on the document, where an element of the page with such a name covers them.
  for (const name of ['createElementNS', 'createTextNode'] as const) {
    if (typeof document[name] !== 'function') throw new Error(`An element of the page is named ${name}`)
  }
  const before = root.adoptedStyleSheets.length
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  const texts = createTexts(root, models)
  // Closing, or ending this effect, calls the undo.
  const end = effect(() =>
    models.panel.isOpen.value && models.areStringsReady.value
      ? openPanel(root, sheet, models, texts, isInline)
      : undefined,
  )
  return () => {
    end()
    root.adoptedStyleSheets.splice(before)
  }
}
