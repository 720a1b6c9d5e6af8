import type { WidgetHandle } from '../loader/createHandle.ts'
import type { Launcher } from '../loader/launcher.ts'
import type { WidgetOptions } from '../loader/options.ts'
import css from '../styles/inline.css?inline'

type Target = WidgetOptions['target']

/** Lets the chat fill an element of the page: it is open from the start, a part of the page and not a dialog beside it. */
export async function fillTarget(
  handle: WidgetHandle,
  launcher: Launcher,
  target: Target,
  abortSignal: AbortSignal,
): Promise<void> {
  const { host, root, button } = launcher
  const place = await find(target)
  if (abortSignal.aborted) return
  if (!place) throw new TypeError(`Natter's mode "inline" needs a target in the page; there is no ${target}`)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  host.dataset['mode'] = 'inline'
  // Else a target in a shadow root, as of <natter-chat>, would keep them from the site's style sheets.
  host.setAttribute('exportparts', 'launcher,panel,header,transcript,message,composer')
  launcher.attach = () => {
    const now = lookUp(target) ?? place
    if (host.parentNode !== now) now.append(host)
  }

  // The page has just loaded, and the visitor may be reading or writing elsewhere: nothing inert takes the focus.
  host.inert = true
  // The panel is drawn when its language is there, which may be long after the event `open`.
  const drawn = new MutationObserver(() => {
    const panel = root.querySelector('[part~=panel]')
    panel?.setAttribute('role', 'region')
    panel?.removeAttribute('aria-modal')
    // The panel takes the focus with its first frame. Closed or failed before it has one, it leaves the launcher.
    if (!panel && button.getAttribute('aria-expanded') === 'true') return
    requestAnimationFrame(() => {
      host.inert = false
    })
  })
  drawn.observe(root, { childList: true, subtree: true })
  drawn.observe(button, { attributeFilter: ['aria-expanded'] })
  abortSignal.addEventListener('abort', () => drawn.disconnect())
  root.addEventListener('keydown', keepOpen, true)
  // It may have been opened by the page already, in the corner.
  handle.close()
  handle.open()
}

const lookUp = (target: Target) => (typeof target === 'string' ? document.querySelector(target) : target)

/** The target, which may stand behind the script in the page. */
async function find(target: Target) {
  if (!lookUp(target) && document.readyState === 'loading') {
    await new Promise(resolve => document.addEventListener('DOMContentLoaded', resolve, { once: true }))
  }
  return lookUp(target)
}

/** Escape closes a menu, and not the chat: a visitor would miss it in the page. */
function keepOpen(event: Event): void {
  const { key, currentTarget } = event as KeyboardEvent
  const menu = (currentTarget as ShadowRoot).querySelector('.panel [aria-expanded=true]')
  if (key === 'Escape' && !menu) event.stopPropagation()
}
