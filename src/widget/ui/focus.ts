/** The selector of the element that gets the focus when the panel opens: the composer, or the button in its place. */
export const initialFocus = 'textarea, .sign-in'

/** Focuses the first element that matches the selector, without scrolling. */
export function focusOn(root: ParentNode, selector: string): void {
  root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
}

/**
 * Keeps the focus in the panel if a click removes the clicked element, such as a quick reply or Retry. Otherwise Escape and
 * Tab would no longer work.
 */
export function keepFocusInside(panel: HTMLElement): void {
  setTimeout(() => {
    // If the page has moved the focus in a click listener, leave it there.
    if (document.activeElement === document.body) focusOn(panel, '.log')
  })
}
