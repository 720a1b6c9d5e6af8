import type { Launcher, LauncherView } from '../loader/launcher.ts'
import type { ParsedOptions } from '../loader/parseOptions.ts'
import type { ReportProblem } from '../loader/problems.ts'
import css from '../styles/displayMode.css?inline'

/** What a placement needs from the widget. */
export interface PlacementDeps {
  options: ParsedOptions
  launcher: Launcher
  preload(): void
  report: ReportProblem
  /** The placement if the site has not set another one. */
  floating: Placement
}

/** Where the chat is in the page, and how it is opened. */
export interface Placement {
  /** Whether the chat is a part of the page, inside of `target`. */
  isInline: boolean
  /** Returns the element that the widget is appended to; `null` if the page doesn't have it. */
  findContainer(): Element | ShadowRoot | null
  render(view: LauncherView): void
  destroy(): void
}

/** Creates the placement that the options ask for. If the target is missing, that is reported and the chat floats. */
export async function createPlacement(deps: PlacementDeps): Promise<Placement> {
  const { launcher: selector, target } = deps.options
  const { host, root } = deps.launcher
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)

  const isInline = await hasTarget(deps)
  if (isInline) {
    host.dataset['mode'] = 'inline'
    // The target may be in a shadow root, such as that of <natter-chat>. Exported parts can be styled by the page
    // nevertheless.
    host.setAttribute('exportparts', 'launcher,panel,header,transcript,message,composer')
  }
  return {
    ...deps.floating,
    ...(isInline && { isInline, findContainer: () => findTarget(target) }),
    ...(selector && isValid('launcher', selector, deps.report) && createSiteLaunchers(selector, deps)),
  }
}

const findTarget = (target: ParsedOptions['target']) =>
  typeof target === 'string' ? document.querySelector(target) : (target ?? null)

/** Whether the chat is inline and its target exists. Waits until the page is parsed. */
async function hasTarget({ options: { mode, target }, report }: PlacementDeps): Promise<boolean> {
  if (mode !== 'inline') return false
  if (!target) {
    report('The option `target` is missing')
    return false
  }
  if (!isValid('target', target, report)) return false
  // The target may come after the script in the page.
  if (!findTarget(target) && document.readyState === 'loading') {
    await new Promise(resolve => addEventListener('DOMContentLoaded', resolve, { once: true }))
  }
  if (findTarget(target)) return true
  report('No element of the page matches the option `target`')
  return false
}

/** Whether the value is an element or a valid selector. */
function isValid(name: 'launcher' | 'target', value: unknown, report: ReportProblem): boolean {
  // Not `instanceof Element`: old libraries replace `window.Element`.
  if (name === 'target' && Object(value).nodeType) return true
  try {
    document.querySelector(`${value}`)
    return true
  } catch {
    report(`The option \`${name}\` has a wrong value`)
    return false
  }
}

/** The state of the site's own launchers, and their focus. The loader handles their clicks. */
function createSiteLaunchers(
  selector: string,
  { launcher, preload, report }: PlacementDeps,
): Pick<Placement, 'render' | 'destroy'> {
  const { host, layer, button } = launcher
  const end = new AbortController()
  const { signal } = end
  let isExpanded = false
  let lastClicked: HTMLElement | undefined

  const findAll = () => document.querySelectorAll(selector)
  // Not `instanceof Element`: old libraries replace `window.Element`. The document itself has no `closest`.
  const find = ({ target }: Event) => (target as Partial<Element> | null)?.closest?.<HTMLElement>(selector)

  function onClick(event: Event) {
    lastClicked = find(event) ?? lastClicked
  }
  function onApproach(event: Event) {
    if (find(event)) preload()
  }
  // On the window, where events come before they come to the loader's listener: it may close the chat.
  addEventListener('click', onClick, { capture: true, signal })
  for (const name of ['pointerover', 'pointerdown', 'focusin']) document.addEventListener(name, onApproach, { signal })

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
    if (!findAll().length) report('No element of the page matches the option `launcher`')
  }

  function render({ isOpen, hasFailed }: Pick<LauncherView, 'isOpen' | 'hasFailed'>) {
    setExpanded(isOpen)
    // Our launcher is shown only after a failure: it says that the chat couldn't be loaded, and retries.
    if (hasFailed) layer.prepend(button)
    // Not `remove()`: that of Prototype.js 1.7 throws for an element without a parent.
    else button.parentNode?.removeChild(button)
  }

  host.toggleAttribute('data-replaced', true)
  if (document.readyState === 'complete') onLoad()
  else addEventListener('load', onLoad, { once: true, signal })

  return {
    render,
    destroy() {
      end.abort('Natter was destroyed')
      for (const each of findAll()) each.removeAttribute('aria-expanded')
    },
  }
}
