import { render } from 'preact'
import type { Models } from '../core.ts'
import css from '../styles/panel.css?inline'
import tokens from '../styles/tokens.css?inline'
import { createDates } from './dates.ts'
import { Panel } from './Panel.tsx'

/** Draws the panel into the widget's shadow root whenever it is open; the undo leaves nothing behind. */
export function mountPanel(root: ShadowRoot, models: Models): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(tokens + css)
  // What only the running page knows (the bot's accent, where the keyboard ends): rules of one more sheet, as a strict CSP asks.
  const live = new CSSStyleSheet()
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet, live]
  const box = root.appendChild(document.createElement('div'))
  const dates = createDates(document.documentElement.lang || navigator.language, models.strings)
  const WhenOpen = () => models.panel.open.value && <Panel models={models} dates={dates} root={root} live={live} />
  render(<WhenOpen />, box)
  return () => {
    render(null, box)
    box.remove()
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter(each => each !== sheet && each !== live)
  }
}
