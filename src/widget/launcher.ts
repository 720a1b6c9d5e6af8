import type { CoreSettings } from './core.ts'
import type { WidgetOptions } from './options.ts'
import { launcherTexts } from './strings/launcher.ts'
import css from './styles/launcher.css?inline'

/** The button in the corner, and the shadow root that everything of the widget lives in. */
export interface Launcher {
  readonly root: ShadowRoot
  /** The site's own texts, and those that the launcher has itself. */
  readonly texts: CoreSettings['strings']
  /** Puts it into the page, again where the page has thrown it out. */
  attach(): void
  setOpen(open: boolean): void
  setUnread(count: number): void
  setHidden(hidden: boolean): void
  /** Says that a part could not be loaded, with a retry. */
  setFailed(failed: boolean): void
  focus(): void
  destroy(): void
}

export interface LauncherDoors {
  options: WidgetOptions
  onClick(): void
  /** The pointer or the focus has come: a click may follow. */
  onIntent(): void
  onRetry(): void
}

const bubble = 'M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12z'
const chevron = 'M6 9l6 6 6-6'

export function createLauncher({ options, onClick, onIntent, onRetry }: LauncherDoors): Launcher {
  const texts: CoreSettings['strings'] = { ...launcherTexts, ...options.strings }
  // The bot's id tells a second inclusion of the script that this bot is there.
  const host = element('div', {
    'data-natter': options.botId,
    'data-theme': options.theme || 'auto',
    'data-position': options.position || 'end',
  })
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css + ownRules(options))
  root.adoptedStyleSheets = [sheet]

  const glyph = element('path', {}, svg)
  const badge = element('span', { class: 'badge', 'aria-hidden': 'true' })
  const picture = element('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg)
  picture.append(glyph)
  const button = element('button', { class: 'launcher', part: 'launcher', type: 'button' })
  button.append(picture, badge)
  button.onclick = onClick
  button.onpointerenter = button.onfocus = onIntent
  root.append(button)

  const notice = element('div', { class: 'failed', role: 'alert' })
  const retry = element('button', { type: 'button' })
  retry.append(texts.retry)
  retry.onclick = onRetry
  notice.append(texts.panelFailed, retry)

  let open = false
  let unread = 0
  const draw = () => {
    const count = open ? 0 : unread
    const name = open ? texts.close : count ? texts.chatUnread.replace('{count}', `${count}`) : texts.chat
    button.setAttribute('aria-expanded', `${open}`)
    button.setAttribute('aria-label', name)
    glyph.setAttribute('d', open ? chevron : bubble)
    badge.hidden = !count
    badge.textContent = count > 99 ? '99+' : `${count}`
  }
  draw()

  return {
    root,
    texts,
    attach() {
      if (host.isConnected) return // Before the body there is the document itself.
      ;(document.body || document.documentElement).append(host)
      inkAccent(host, button, sheet)
    },
    setOpen(next) {
      open = next
      draw()
    },
    setUnread(count) {
      unread = count
      draw()
    },
    setHidden(hidden) {
      host.hidden = hidden
    },
    setFailed(failed) {
      if (failed) root.append(notice)
      else notice.remove()
    },
    focus: () => button.focus(),
    destroy: () => host.remove(),
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
  for (const key in attributes) made.setAttribute(key, attributes[key] as string)
  return made
}

/** The site's own measures, as a rule: a strict CSP forbids `style` attributes. What is no measure is left out. */
function ownRules({ accent = '', offset = 20, zIndex }: WidgetOptions): string {
  return `:host{--offset:${+offset || 0}px;${/^#[\da-f]{6}$/i.test(accent) ? `--natter-accent:${accent};` : ''}${
    zIndex ? `--natter-z-index:${+zIndex || 0}` : ''
  }}`
}

/** Black or white on the site's accent, whichever contrasts more (WCAG); white is read well on the default. */
function inkAccent(host: Element, button: Element, sheet: CSSStyleSheet): void {
  if (!getComputedStyle(host).getPropertyValue('--natter-accent')) return
  const ground = getComputedStyle(button).backgroundColor.match(/\d+/g) || []
  const [red = 0, green = 0, blue = 0] = ground.map(part => (+part / 255) ** 2.2)
  if (0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179)
    sheet.insertRule('.launcher{color:#000}', sheet.cssRules.length)
}
