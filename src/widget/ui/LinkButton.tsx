import type { ComponentChildren, JSX } from 'preact'

interface LinkButtonProps {
  onClick: () => unknown
  /** The id of what says more about it. */
  describedBy?: string
  children: ComponentChildren
}

/** A button within a line of text. */
export function LinkButton({ onClick, describedBy, children }: LinkButtonProps): JSX.Element {
  return (
    <button type="button" class="link" aria-describedby={describedBy} onClick={onClick}>
      {children}
    </button>
  )
}
