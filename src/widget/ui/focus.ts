/** Moves the focus without moving what is in sight. */
export function focusOn(root: ShadowRoot, selector: string): void {
  root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
}

/** When what was clicked is gone (a quick reply, Retry, End chat), the focus stays in the panel, where Escape and Tab work. */
export function keepFocus(root: ShadowRoot): void {
  setTimeout(() => {
    if (!root.activeElement) focusOn(root, '.log')
  })
}
