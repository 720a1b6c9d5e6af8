import type { ComponentChildren, JSX } from 'preact'

interface LinkButtonProps {
  onClick: () => unknown
  /** The id of what says more about it. */
  describedBy?: string
  children: ComponentChildren
}

/**
 * A button within a line of text. It ignores the second click of a double click, because the first click may have moved another
 * button to its place, such as the one that deletes the next message.
 */
export function LinkButton({ onClick, describedBy, children }: LinkButtonProps): JSX.Element {
  return (
    <button type="button" class="link" aria-describedby={describedBy} onClick={({ detail }) => detail < 2 && onClick()}>
      {children}
    </button>
  )
}
