import { callDocument, getFromDocument } from '../loader/documentAccess.ts'
import type { Launcher, LauncherView } from '../loader/launcher.ts'
import type { ParsedOptions } from '../loader/parseOptions.ts'
import type { ReportProblem } from '../loader/problems.ts'
import css from '../styles/displayMode.css?inline'
import { createSiteLaunchers } from './siteLaunchers.ts'

/** What a place in the page needs of the widget. */
export interface PlacementDeps {
  options: ParsedOptions
  launcher: Launcher
  /** Where the chat is unless the site has wanted it elsewhere. */
  corner: Placement
  toggle(): void
  preload(): void
  report: ReportProblem
}

/** Where the chat is in the page. */
export interface Placement {
  /** The chat is a part of the page, in a target that is there. */
  isInline: boolean
  /** What the widget is put into; `null` on a page that doesn't have it. */
  findContainer(): Element | ShadowRoot | null
  render(view: LauncherView): void
  /** A click on one of the site's own launchers; absent where the site has none. */
  onLauncherClick?: ((event: Event) => void) | undefined
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
  // Until the target is there the loader keeps clicks: handled here as well, one would open the chat and close it again.
  const isInline = await hasTarget(deps)
  const siteLaunchers =
    selector && isValid('launcher', selector, report) ? createSiteLaunchers(selector, deps) : undefined
  if (isInline) {
    host.dataset['mode'] = 'inline'
    // The target may be in a shadow root, as that of <natter-chat> is: the page's style sheets reach the parts all the same.
    host.setAttribute('exportparts', 'launcher,panel,header,transcript,message,composer')
  }
  return {
    isInline,
    findContainer: isInline ? () => findTarget(options.target) : deps.corner.findContainer,
    render: view => siteLaunchers?.render(view),
    onLauncherClick: siteLaunchers?.onClick,
    destroy: () => siteLaunchers?.destroy(),
  }
}

const findTarget = (target: ParsedOptions['target']) =>
  typeof target === 'string' ? callDocument('querySelector', target) : (target ?? null)

/** Whether the chat is to be inline, and the target for it is there. */
async function hasTarget({ options: { mode, target }, report }: PlacementDeps): Promise<boolean> {
  if (mode !== 'inline') return false
  if (!target) {
    report({ code: 'missing_option', name: 'target' })
    return false
  }
  if (!isValid('target', target, report)) return false
  // The target may come after the script in the page.
  if (!findTarget(target) && getFromDocument('readyState') === 'loading') {
    await new Promise(resolve => addEventListener('DOMContentLoaded', resolve, { once: true }))
  }
  if (findTarget(target)) return true
  report({ code: 'not_found', name: 'target', value: `${target}` })
  return false
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
