import { callDocument, getFromDocument } from '../loader/documentAccess.ts'
import type { LauncherView } from '../loader/launcher.ts'
import type { PlacementDeps } from './placement.ts'

/** The site's own elements that open and close the chat. */
export interface SiteLaunchers {
  render(view: Pick<LauncherView, 'isOpen' | 'hasFailed'>): void
  onClick(event: Event): void
  destroy(): void
}

/** Listens at the document, so that elements which come into the page later are launchers, too. */
export function createSiteLaunchers(
  selector: string,
  { launcher, toggle, preload, report }: PlacementDeps,
): SiteLaunchers {
  const { host, layer, button } = launcher
  const end = new AbortController()
  const { signal } = end
  let isExpanded = false
  let lastClicked: HTMLElement | undefined

  const all = () => callDocument('querySelectorAll', selector)
  // Not by `instanceof`: old libraries replace `window.Element`. The document itself has no `closest`.
  const find = ({ target }: Event) => (target as Partial<Element> | null)?.closest?.<HTMLElement>(selector)

  function onClick(event: Event) {
    const clicked = find(event)
    if (!clicked) return
    // It may be a link to another way of contact, for browsers in which the chat doesn't run.
    event.preventDefault()
    lastClicked = clicked
    // The second click of a double click would close what the first has opened.
    if ((event as MouseEvent).detail < 2) toggle()
  }
  function onApproach(event: Event) {
    if (find(event)) preload()
  }
  callDocument('addEventListener', 'click', onClick, { capture: true, signal })
  callDocument('addEventListener', 'pointerover', onApproach, { signal })
  callDocument('addEventListener', 'focusin', onApproach, { signal })

  function setExpanded(isOpen: boolean) {
    for (const each of all()) each.setAttribute('aria-expanded', `${isOpen}`)
    const hasClosed = isExpanded && !isOpen
    isExpanded = isOpen
    if (!hasClosed) return
    // Give back only a focus that would be lost with the panel; one that is elsewhere in the page stays there.
    const focused = getFromDocument('activeElement')
    if (!focused || focused === host || focused === getFromDocument('body')) lastClicked?.focus()
  }

  /** The whole page is there. An app may make its launchers later, so ours stays away even if there is none yet. */
  function onLoad() {
    setExpanded(isExpanded)
    if (!all().length) report({ code: 'not_found', name: 'launcher', value: selector })
  }

  function render({ isOpen, hasFailed }: Pick<LauncherView, 'isOpen' | 'hasFailed'>) {
    setExpanded(isOpen)
    // Ours is there only to say that the chat couldn't be loaded, and to try again.
    if (hasFailed) layer.prepend(button)
    else if (button.parentNode) layer.removeChild(button)
  }

  host.toggleAttribute('data-replaced', true)
  render({ isOpen: false, hasFailed: false })
  if (getFromDocument('readyState') === 'complete') onLoad()
  else addEventListener('load', onLoad, { once: true, signal })

  return {
    render,
    onClick,
    destroy() {
      end.abort('Natter was destroyed')
      for (const each of all()) each.removeAttribute('aria-expanded')
    },
  }
}
