import type { ComponentChildren, JSX } from 'preact'

interface LinkButtonProps {
  onClick: () => unknown
  children: ComponentChildren
}

/**
 * A button within a line of text. It ignores the second click of a double click, because the first click may have moved another
 * button to its place, such as the one that deletes the next message.
 */
export function LinkButton({ onClick, children }: LinkButtonProps): JSX.Element {
  return (
    <button type="button" class="link" onClick={({ detail }) => detail < 2 && onClick()}>
      {children}
    </button>
  )
}
