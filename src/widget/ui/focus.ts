import { getFromDocument } from '../loader/documentAccess.ts'

/** Where the focus is when the panel opens: the composer, or the button in its place. */
export const initialFocus = 'textarea, .sign-in'

/** Moves the focus to what a selector finds, without scrolling. */
export function focusOn(root: ParentNode, selector: string): void {
  root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
}

/**
 * When what was clicked is gone (a quick reply, Retry, End chat), the focus stays in the panel, where Escape and Tab
 * work.
 */
export function keepFocusInside(panel: HTMLElement): void {
  setTimeout(() => {
    // The page may have moved the focus in a listener for the click: then leave it there.
    if (getFromDocument('activeElement') === getFromDocument('body')) focusOn(panel, '.log')
  })
}
