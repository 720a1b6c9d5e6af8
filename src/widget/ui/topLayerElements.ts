export const modalDialog = 'dialog:modal'

/**
 * Selectors of top layer elements, which browsers draw above any `z-index`. The page itself in full screen is not one of
 * them. Selectors that the browser doesn't know are left out, because they would throw.
 */
export const topLayerSelectors = (): string[] =>
  [modalDialog, ':popover-open', ':fullscreen:not(:root)'].filter(selector => CSS.supports(`selector(${selector})`))

/**
 * Finds top layer elements in the document, and in the shadow roots around the focus: the chat was probably opened there.
 */
export function findInTopLayer(): Element[] {
  const roots: ParentNode[] = [document.documentElement]
  for (let root = document.activeElement?.shadowRoot; root; root = root.activeElement?.shadowRoot) roots.push(root)
  return roots.flatMap(root => topLayerSelectors().flatMap(selector => [...root.querySelectorAll(selector)]))
}
