import { callDocument, getFromDocument } from '../loader/documentAccess.ts'
import type { Launcher, LauncherView } from '../loader/launcher.ts'
import type { DisplayMode } from '../loader/options.ts'
import type { ParsedOptions } from '../loader/parseOptions.ts'
import type { ReportProblem } from '../loader/problems.ts'
import css from '../styles/displayMode.css?inline'
import { createSiteLaunchers } from './siteLaunchers.ts'

/** What a place in the page needs of the widget. */
export interface PlacementDeps {
  options: ParsedOptions
  launcher: Launcher
  toggle(): void
  preload(): void
  report: ReportProblem
}

/** Where the chat is in the page, if it isn't just in the corner behind our own launcher. */
export interface Placement {
  displayMode: DisplayMode
  /** What an inline chat is put into; `null` on a page that doesn't have it. */
  findTarget(): Element | ShadowRoot | null
  render(view: LauncherView): void
  destroy(): void
}

/** Finds the place that the site wants. Where there is none, it is reported, and the chat floats in the corner. */
export async function createPlacement(deps: PlacementDeps): Promise<Placement> {
  const { options, report } = deps
  const { host, root } = deps.launcher
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)

  const { launcher: selector } = options
  const siteLaunchers =
    selector && isValid('launcher', selector, report) ? createSiteLaunchers(selector, deps) : undefined
  const displayMode = await chooseMode(deps)
  if (displayMode === 'inline') {
    host.dataset['mode'] = displayMode
    // The target may be in a shadow root, as that of <natter-chat> is: the page's style sheets reach the parts all the same.
    host.setAttribute('exportparts', 'launcher,panel,header,transcript,message,composer')
  }
  return {
    displayMode,
    findTarget: () => findTarget(options.target),
    render: view => siteLaunchers?.render(view),
    destroy: () => siteLaunchers?.destroy(),
  }
}

const findTarget = (target: ParsedOptions['target']) =>
  typeof target === 'string' ? callDocument('querySelector', target) : (target ?? null)

/** `inline` if there is the target for it. */
async function chooseMode({ options: { mode, target }, report }: PlacementDeps): Promise<DisplayMode> {
  if (mode !== 'inline') return 'floating'
  if (!target) {
    report({ code: 'missing_option', name: 'target' })
    return 'floating'
  }
  if (!isValid('target', target, report)) return 'floating'
  // The target may come after the script in the page.
  if (!findTarget(target) && getFromDocument('readyState') === 'loading') {
    await new Promise(resolve => addEventListener('DOMContentLoaded', resolve, { once: true }))
  }
  if (findTarget(target)) return mode
  report({ code: 'not_found', name: 'target', value: `${target}` })
  return 'floating'
}

/** Whether it is an element, or a selector that the browser can read. */
function isValid(name: 'launcher' | 'target', value: unknown, report: ReportProblem): boolean {
  // Not by `instanceof`: old libraries replace `window.Element`.
  if (name === 'target' && Object(value).nodeType) return true
  try {
    callDocument('querySelector', `${value}`)
    return true
  } catch {
    report({ code: 'invalid_option', name, value })
    return false
  }
}
