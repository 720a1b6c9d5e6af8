import type { ComponentChildren, JSX } from 'preact'

interface LinkButtonProps {
  onClick: () => unknown
  children: ComponentChildren
}

/** A button within a line of text. */
export function LinkButton({ onClick, children }: LinkButtonProps): JSX.Element {
  return (
    <button type="button" class="link" onClick={onClick}>
      {children}
    </button>
  )
}
