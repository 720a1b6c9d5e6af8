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
 * Takes clicks on the site's own launcher until the chunk that handles them is loaded, or the widget is destroyed. Returns a
 * function that stops it and returns whether there was a click.
 */
export function takeEarlyClicks(selector: unknown, widgetEnd: AbortSignal): () => boolean {
  let wasClicked = false
  function onClick(event: Event) {
    try {
      if (!(event.target as Element).closest(`${selector}`)) return
      event.preventDefault()
      wasClicked = true
    } catch {
      // The selector is invalid, which is reported later, or the target is no element.
    }
  }
  if (selector && !widgetEnd.aborted) {
    document.addEventListener('click', onClick, { capture: true, signal: widgetEnd })
  }
  return () => {
    document.removeEventListener('click', onClick, true)
    return wasClicked
  }
}
