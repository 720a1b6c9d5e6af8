import type { Placement, PlacementDeps } from '../displayMode/placement.ts'
import type { Chunks } from './chunks.ts'

/**
 * The chat floats over the page. A script in the head runs before there is a body, so the document element is used then.
 */
const floatingPlacement: Placement = {
  isInline: false,
  findContainer: () => document.body || document.documentElement,
  render() {},
  destroy() {},
}

/** Resolves to the placement that the options ask for. If the chunk for it can't be loaded, the chat floats. */
export async function findPlacement(chunks: Chunks, deps: Omit<PlacementDeps, 'floating'>): Promise<Placement> {
  const { launcher, mode } = deps.options
  if (!launcher && mode !== 'inline') return floatingPlacement
  try {
    const { createPlacement } = await chunks.displayMode()
    return await createPlacement({ ...deps, floating: floatingPlacement })
  } catch {
    return floatingPlacement
  }
}

/**
 * Calls `onClick` for clicks on the site's own launchers. Listens on the document, so that elements which are added to the page
 * later are launchers, too.
 */
export function listenToSiteLaunchers(selector: string, onClick: () => void, abortSignal: AbortSignal): void {
  function handleClick(event: MouseEvent) {
    try {
      if (!(event.target as Element).closest(selector)) return
    } catch {
      // The selector is invalid, which the placement reports, or the target is no element.
      return
    }
    // The launcher may be a link to another contact page, for browsers that the widget doesn't support.
    event.preventDefault()
    // The second click of a double click would close what the first has opened.
    if (event.detail < 2) onClick()
  }
  document.addEventListener('click', handleClick, { capture: true, signal: abortSignal })
}
