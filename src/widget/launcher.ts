import type { WidgetOptions } from './options.ts'
import type { Strings } from './strings/en.ts'
import { launcherTexts } from './strings/launcher.ts'
import css from './styles/launcher.css?inline'
import tokens from './styles/tokens.css?inline'

/** The button in the corner, and the shadow root that everything of the widget lives in. */
export interface Launcher {
  readonly root: ShadowRoot
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
const svg = 'http://www.w3.org/2000/svg'

export function createLauncher({ options, onClick, onIntent, onRetry }: LauncherDoors): Launcher {
  const texts: Pick<Strings, keyof typeof launcherTexts> = { ...launcherTexts, ...options.strings }
  const host = document.createElement('div')
  const set = host.setAttribute.bind(host)
  // Tells a second inclusion of the script that this bot is there.
  set('data-natter', options.botId)
  set('data-theme', options.theme || 'auto')
  set('data-position', options.position || 'end')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(tokens + css + ownRules(options))
  root.adoptedStyleSheets = [sheet]

  const button = element('button', { class: 'launcher', part: 'launcher', type: 'button' })
  const glyph = element('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg)
  glyph.append(element('path', { class: 'shut', d: bubble }, svg), element('path', { class: 'open', d: chevron }, svg))
  const badge = element('span', { class: 'badge', 'aria-hidden': 'true' })
  button.append(glyph, badge)
  button.addEventListener('click', onClick)
  button.addEventListener('pointerenter', onIntent)
  button.addEventListener('focus', onIntent)
  root.append(button)

  let failed: Element | undefined
  let open = false
  let unread = 0
  const draw = () => {
    button.setAttribute('aria-expanded', `${open}`)
    button.setAttribute(
      'aria-label',
      open ? texts.close : unread ? texts.chatUnread.replace('{count}', `${unread}`) : texts.chat,
    )
    badge.textContent = unread && !open ? (unread > 99 ? '99+' : `${unread}`) : ''
  }
  draw()

  return {
    root,
    attach() {
      // Before the body there is the document itself.
      if (!host.isConnected) (document.body || document.documentElement).append(host)
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
    setFailed(next) {
      failed?.remove()
      failed = undefined
      if (!next) return
      const retry = element('button', { type: 'button' })
      retry.append(texts.retry)
      retry.addEventListener('click', onRetry)
      failed = element('div', { class: 'failed', role: 'alert' })
      failed.append(texts.panelFailed, retry)
      root.append(failed)
    },
    focus: () => button.focus(),
    destroy: () => host.remove(),
  }
}

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
function ownRules({ accent, offset, zIndex }: WidgetOptions): string {
  const rules = [
    /^#[\da-f]{6}$/i.test(accent || '') && `--natter-accent:${accent}`,
    offset !== undefined && Number.isFinite(+offset) && `--offset:${+offset}px`,
    zIndex !== undefined && Number.isInteger(+zIndex) && `--natter-z-index:${+zIndex}`,
  ]
  return `:host{${rules.filter(Boolean).join(';')}}`
}

/** Black or white on the site's accent, whichever contrasts more (WCAG); the default's ink stands in the tokens. */
function inkAccent(host: Element, button: Element, sheet: CSSStyleSheet): void {
  if (!getComputedStyle(host).getPropertyValue('--natter-accent')) return
  const parts = getComputedStyle(button).backgroundColor.match(/[\d.]+/g) || []
  const [red = 0, green = 0, blue = 0] = parts.map(part => (+part / 255) ** 2.2)
  const ink = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
  sheet.insertRule(`.launcher{color:${ink}}`, sheet.cssRules.length)
}
