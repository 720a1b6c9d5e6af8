import type { Launcher, LauncherView } from '../loader/launcher.ts'
import type { ReportProblem } from '../loader/problems.ts'

export interface SiteLaunchersDeps {
  launcher: Launcher
  toggle(): void
  preload(): void
  report: ReportProblem
}

/** The site's own elements that open and close the chat. */
export interface SiteLaunchers {
  render(view: Pick<LauncherView, 'isOpen' | 'hasFailed'>): void
  onClick(event: Event): void
  destroy(): void
}

/** Listens on the document, so that elements which are added to the page later are launchers, too. */
export function createSiteLaunchers(
  selector: string,
  { launcher, toggle, preload, report }: SiteLaunchersDeps,
): SiteLaunchers {
  const { host, layer, button } = launcher
  const end = new AbortController()
  const { signal } = end
  let isExpanded = false
  let lastClicked: HTMLElement | undefined

  const findAll = () => document.querySelectorAll(selector)
  // Not `instanceof Element`: old libraries replace `window.Element`. The document itself has no `closest`.
  const find = ({ target }: Event) => (target as Partial<Element> | null)?.closest?.<HTMLElement>(selector)

  function onClick(event: Event) {
    const clicked = find(event)
    if (!clicked) return
    // The launcher may be a link to another contact page, for browsers that the widget doesn't support.
    event.preventDefault()
    lastClicked = clicked
    // The second click of a double click would close what the first has opened.
    if ((event as MouseEvent).detail < 2) toggle()
  }
  function onApproach(event: Event) {
    if (find(event)) preload()
  }
  document.addEventListener('click', onClick, { capture: true, signal })
  document.addEventListener('pointerover', onApproach, { signal })
  document.addEventListener('focusin', onApproach, { signal })

  function setExpanded(isOpen: boolean) {
    for (const each of findAll()) each.setAttribute('aria-expanded', `${isOpen}`)
    const hasClosed = isExpanded && !isOpen
    isExpanded = isOpen
    if (!hasClosed) return
    // Move the focus only if it would be lost with the panel. Don't take it from an element of the page.
    const focused = document.activeElement
    if (!focused || focused === host || focused === document.body)
      (lastClicked ?? (findAll()[0] as HTMLElement | undefined))?.focus()
  }

  /** Called when the page has loaded. If there is no launcher yet, ours stays hidden: an app may create one later. */
  function onLoad() {
    setExpanded(isExpanded)
    if (!findAll().length) report({ code: 'not_found', name: 'launcher', value: selector })
  }

  function render({ isOpen, hasFailed }: Pick<LauncherView, 'isOpen' | 'hasFailed'>) {
    setExpanded(isOpen)
    // Our launcher is shown only after a failure: it says that the chat couldn't be loaded, and retries.
    if (hasFailed) layer.prepend(button)
    else if (button.parentNode) layer.removeChild(button)
  }

  host.toggleAttribute('data-replaced', true)
  render({ isOpen: false, hasFailed: false })
  if (document.readyState === 'complete') onLoad()
  else addEventListener('load', onLoad, { once: true, signal })

  return {
    render,
    onClick,
    destroy() {
      end.abort('Natter was destroyed')
      for (const each of findAll()) each.removeAttribute('aria-expanded')
    },
  }
}
