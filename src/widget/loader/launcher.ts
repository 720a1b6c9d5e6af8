import type { Strings } from '../i18n/en.ts'
import { chevronPath } from '../styles/chevronPath.ts'
import css from '../styles/launcher.css?inline'
import { accentRule, luminanceOf } from './color.ts'
import type { ParsedOptions } from './parseOptions.ts'

/** What the launcher shows. */
export interface LauncherView {
  isOpen: boolean
  /** Whether a chunk could not be loaded. The launcher then says so, and a click retries. */
  hasFailed: boolean
  /** `chat` is the accessible name. The core adds the number of unread messages to it. */
  texts: Pick<Strings, 'chat' | 'panelFailed'>
}

export type Launcher = ReturnType<typeof createLauncher>

interface LauncherActions {
  onClick(): void
  /** The pointer or the focus has reached the button: a click may follow. */
  onApproach(): void
}

const bubblePath = 'M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12z'

/** Creates the button that opens the chat, and the host element whose shadow root contains the whole widget. */
export function createLauncher(options: ParsedOptions, { onClick, onApproach }: LauncherActions) {
  const host = setAttributes(document.createElement('div'), { 'data-natter': options.botId })
  const root = host.attachShadow({ mode: 'open' })
  const rules = css + optionRules(options)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  root.adoptedStyleSheets = [sheet]

  const createSvg = (name: string, attributes: Record<string, string>) =>
    setAttributes(document.createElementNS('http://www.w3.org/2000/svg', name), attributes)
  const icon = createSvg('svg', { viewBox: '0 0 24 24' })
  // Both, so that one can turn into the other. The styles hide one of them.
  for (const d of [bubblePath, chevronPath]) icon.append(createSvg('path', { d }))
  const button = setAttributes(document.createElement('button'), { class: 'launcher', part: 'launcher' })
  const text = document.createElement('span')
  button.append(icon, text)
  // The alert is outside of the button, because screen readers ignore a button's children. It is empty at first, because
  // they announce only changes of its text.
  const alert = setAttributes(document.createElement('span'), { role: 'alert' })
  const layer = setAttributes(document.createElement('div'), { class: 'layer' })
  layer.append(button, alert)
  root.append(layer)
  button.onclick = ({ detail }) => {
    // The second click of a double click would close what the first has opened.
    if (detail < 2) onClick()
  }
  button.onpointerenter = button.onpointerdown = button.onfocus = onApproach

  // Libraries for dialogs make all other elements of the body inert. The chat would be visible and dead.
  const inertness = new MutationObserver(() => {
    host.inert = false
  })

  return {
    host,
    root,
    /** Contains launcher and panel, so that both enter the browser's top layer together: see ui/topLayer.ts. */
    layer,
    button,
    /** Appends the host to `container`, unless it is there already. */
    attach(container: Element | ShadowRoot): void {
      const { documentElement } = document
      if (host.isConnected && (host.parentNode === container || host.parentNode === documentElement)) return
      container.append(host)
      inertness.observe(host, { attributeFilter: ['inert'] })
      // Measured without the rule of the last time.
      sheet.replaceSync(rules)
      sheet.replaceSync(rules + siteAccentRule(alert))
      requestAnimationFrame(() => {
        // If the body has `transform`, `filter` or `contain`, `position: fixed` is relative to the body, which scrolls.
        const { body } = document
        if (container === body && alert.offsetParent === body) documentElement.append(host)
      })
    },
    detach(): void {
      inertness.disconnect()
      host.remove()
    },
    render({ isOpen, hasFailed, texts }: LauncherView): void {
      const name = hasFailed ? texts.panelFailed : texts.chat
      setAttributes(button, { 'aria-expanded': `${isOpen}`, 'aria-label': name })
      const failure = hasFailed ? name : ''
      // Setting the same text again would announce it again.
      if (alert.textContent !== failure) alert.textContent = text.textContent = failure
    },
  }
}

function setAttributes<Kind extends Element>(element: Kind, attributes: Record<string, string>): Kind {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

/** Returns CSS rules for the site's options. A strict Content Security Policy forbids `style` attributes. */
function optionRules({ accent, offset = 20, zIndex, position, theme }: ParsedOptions): string {
  const [inset, corner] = position === 'start' ? ['var(--offset) auto', 0] : ['auto var(--offset)', 100]
  const dark = theme === 'dark' ? 'all' : theme === 'light' ? 'not all' : '(prefers-color-scheme:dark)'
  const accentProperty = accent ? `--natter-accent:${accent};` : ''
  const zIndexRule = zIndex === undefined ? '' : `--natter-z-index:${zIndex}`
  return `:host{--offset:${offset}px;--inset:${inset};--corner:${corner}%;${accentProperty}${zIndexRule}}@media ${dark}{:host{--if-light: ;--if-dark:initial}}`
}

/**
 * Returns a CSS rule for a custom accent colour, in launcher and panel and both themes. The page's styles may set the accent,
 * so call this when `element`, whose background it is, is in the page.
 */
function siteAccentRule(element: Element): string {
  const style = getComputedStyle(element)
  if (!style.getPropertyValue('--natter-accent')) return ''
  const channels = (style.backgroundColor.match(/\d+/g) || []).map(Number)
  return `.launcher,.panel{${accentRule('var(--natter-accent)', luminanceOf(channels))}}`
}
