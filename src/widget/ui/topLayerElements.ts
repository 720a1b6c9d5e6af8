import { getFromDocument } from '../loader/documentAccess.ts'

export const modalDialog = 'dialog:modal'

/**
 * What browsers draw over everything else, whatever its `z-index`. Not the page as a whole when it fills the screen. A browser
 * that doesn't know a selector would throw, and has nothing of the kind.
 */
export const topLayerSelectors = (): string[] =>
  [modalDialog, ':popover-open', ':fullscreen:not(:root)'].filter(selector => CSS.supports(`selector(${selector})`))

/** What is there: in the document, and in the shadow roots around the focus, where the chat has probably been opened. */
export function findInTopLayer(): Element[] {
  const roots: ParentNode[] = [getFromDocument('documentElement')]
  for (let root = getFromDocument('activeElement')?.shadowRoot; root; root = root.activeElement?.shadowRoot)
    roots.push(root)
  return roots.flatMap(root => topLayerSelectors().flatMap(selector => [...root.querySelectorAll(selector)]))
}
