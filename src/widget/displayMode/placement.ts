import type { LauncherView } from '../loader/launcher.ts'
import type { ParsedOptions } from '../loader/parseOptions.ts'
import type { ReportProblem } from '../loader/problems.ts'
import css from '../styles/displayMode.css?inline'
import { createSiteLaunchers, type SiteLaunchersDeps } from './siteLaunchers.ts'

/** What a placement needs from the widget. */
export interface PlacementDeps extends SiteLaunchersDeps {
  options: ParsedOptions
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
  /** Handles a click on one of the site's own launchers, if it has any. */
  onLauncherClick?: ((event: Event) => void) | undefined
  destroy(): void
}

/** Creates the placement that the options ask for. If the target is missing, that is reported and the chat floats. */
export async function createPlacement(deps: PlacementDeps): Promise<Placement> {
  const { options, report } = deps
  const { host, root } = deps.launcher
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)

  const { launcher: selector } = options
  // Wait for the target before handling clicks. The loader queues them until then: handled twice, a click opens and closes.
  const isInline = await hasTarget(deps)
  const siteLaunchers =
    selector && isValid('launcher', selector, report) ? createSiteLaunchers(selector, deps) : undefined
  if (isInline) {
    host.dataset['mode'] = 'inline'
    // The target may be in a shadow root, such as that of <natter-chat>. Exported parts can be styled by the page
    // nevertheless.
    host.setAttribute('exportparts', 'launcher,panel,header,transcript,message,composer')
  }
  return {
    isInline,
    findContainer: isInline ? () => findTarget(options.target) : deps.floating.findContainer,
    render: view => siteLaunchers?.render(view),
    onLauncherClick: siteLaunchers?.onClick,
    destroy: () => siteLaunchers?.destroy(),
  }
}

const findTarget = (target: ParsedOptions['target']) =>
  typeof target === 'string' ? document.querySelector(target) : (target ?? null)

/** Whether the chat is inline and its target exists. Waits until the page is parsed. */
async function hasTarget({ options: { mode, target }, report }: PlacementDeps): Promise<boolean> {
  if (mode !== 'inline') return false
  if (!target) {
    report({ code: 'missing_option', name: 'target' })
    return false
  }
  if (!isValid('target', target, report)) return false
  // The target may come after the script in the page.
  if (!findTarget(target) && document.readyState === 'loading') {
    await new Promise(resolve => addEventListener('DOMContentLoaded', resolve, { once: true }))
  }
  if (findTarget(target)) return true
  report({ code: 'not_found', name: 'target', value: `${target}` })
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
    report({ code: 'invalid_option', name, value })
    return false
  }
}
