export const modalDialog = 'dialog:modal'

/**
 * Matches top layer elements, which browsers draw above any `z-index`. The page itself in full screen is not one of them. What
 * the browser doesn't know is left out, because it would throw.
 */
export const topLayerSelector = [modalDialog, ':popover-open', ':fullscreen:not(:root)']
  .filter(selector => CSS.supports(`selector(${selector})`))
  .join()
