import type { CountedText, Strings } from '../i18n/en.ts'
import css from '../styles/launcher.css?inline'
import type { WidgetOptions } from './options.ts'

/** What the launcher shows. */
export interface LauncherView {
  open: boolean
  unread: number
  /** A part could not be loaded: the launcher says so, and a click on it tries again. */
  failed: boolean
  /** Only the core, which alone knows of unread messages, brings the text that counts them. */
  texts: Partial<Pick<Strings, 'chatUnread'>> & Pick<Strings, 'chat' | 'panelFailed'>
}

/** The button in the corner, and the host of the shadow root that everything of the widget lives in. */
export interface Launcher {
  readonly host: HTMLElement
  readonly root: ShadowRoot
  /** Holds launcher and panel. */
  readonly layer: HTMLDialogElement
  readonly button: HTMLElement
  /** Puts it into the page, again where the page has thrown it out. */
  attach(): void
  draw(view: LauncherView): void
}

const bubble = 'M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12z'
const chevron = 'M6 9l6 6 6-6'

export function createLauncher(options: WidgetOptions): Launcher {
  const host = element('div', { 'data-natter': options.botId })
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css + ownRules(options))
  root.adoptedStyleSheets = [sheet]

  const glyph = element('path', {}, svg)
  const picture = element('svg', { viewBox: '0 0 24 24' }, svg)
  picture.append(glyph)
  const badge = element('span', { class: 'badge' })
  const alert = element('span', { role: 'alert' })
  const button = element('button', { class: 'launcher', part: 'launcher' })
  button.append(picture, badge)
  // A dialog that is never opened, unless the page has something in the browser's top layer: see ui/topLayer.ts.
  const layer = element('dialog', { class: 'layer', role: 'none' })
  layer.append(button)
  root.append(layer)

  return {
    host,
    root,
    layer,
    button,
    attach() {
      if (host.isConnected) return // Before the body there is the document itself.
      ;(document.body || document.documentElement).append(host)
      inkAccent(button, sheet)
      requestAnimationFrame(() => {
        // A body with `transform`, `filter` or `contain` takes the place of the screen, to which all of ours is fixed.
        if (button.offsetParent === document.body) document.documentElement.append(host)
      })
    },
    draw({ open, unread, failed, texts }) {
      const count = open ? 0 : unread
      const name: CountedText = failed ? texts.panelFailed : (count && texts.chatUnread) || texts.chat
      button.setAttribute('aria-expanded', `${open}`)
      button.setAttribute('aria-label', name.replace('{count}', `${count}`))
      glyph.setAttribute('d', open ? chevron : bubble)
      badge.hidden = !count
      badge.textContent = (count > 99 ? '99+' : count) as string
      alert.textContent = name as string
      // Screen readers announce an alert that comes, not one that is there.
      if (failed) button.append(alert)
      // Prototype.js has a `remove()` of its own, which throws where there is no parent.
      else if (alert.parentNode) alert.remove()
    },
  }
}

const svg = 'http://www.w3.org/2000/svg'

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[Name]
function element(name: string, attributes: Record<string, string>, namespace: string): Element
function element(name: string, attributes: Record<string, string>, namespace = 'http://www.w3.org/1999/xhtml') {
  const made = document.createElementNS(namespace, name)
  for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key] as string)
  return made
}

/** The site's own measures, as rules: a strict CSP forbids `style` attributes. What is no measure is left out. */
function ownRules({ accent = '', offset = 20, zIndex, position, theme }: WidgetOptions): string {
  const inset = position === 'start' ? 'var(--offset) auto' : 'auto var(--offset)'
  const dark = theme === 'dark' ? 'all' : theme === 'light' ? 'not all' : '(prefers-color-scheme:dark)'
  return `:host{--offset:${+offset || 0}px;--inset:${inset};${
    /^#[\da-f]{6}$/i.test(accent) ? `--natter-accent:${accent};` : ''
  }${zIndex ? `--natter-z-index:${+zIndex || 0}` : ''}}@media ${dark}{:host{--l: ;--d:initial}}`
}

/** Black or white on the site's accent, in both themes: whichever contrasts more (WCAG). */
function inkAccent(button: Element, sheet: CSSStyleSheet): void {
  const style = getComputedStyle(button)
  const channels = style.backgroundColor.match(/\d+/g) || []
  const [red, green, blue] = channels.map(part => (+part / 255) ** 2.2) as [number, number, number]
  if (style.getPropertyValue('--natter-accent')) {
    const ink = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
    sheet.insertRule(`.launcher{--on-accent:${ink}!important}`)
  }
}
