/** Moves the focus without moving what is in sight. */
export function focusOn(root: ShadowRoot, selector: string): void {
  root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
}

/** When what was clicked is gone (a quick reply, Retry, End chat), the focus stays in the panel, where Escape and Tab work. */
export function keepFocus(root: ShadowRoot): void {
  setTimeout(() => {
    // Not from where the page has put it when it heard of the click.
    if (document.activeElement === document.body) focusOn(root, '.log')
  })
}
