import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  label: string
  class?: string
  /** Called when it was closed: with Escape, outside of it, or by a button of a form with `method="dialog"`. */
  onClose(): void
  children: ComponentChildren
}

/** A modal dialog, which is open while it is rendered. The focus returns to where it was. */
export function Dialog({ label, class: className = '', onClose, children }: DialogProps): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => ref.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={ref}
      class={`dialog ${className}`}
      aria-label={label}
      onClose={onClose}
      // Its content covers it, so a click on the dialog itself is one on the backdrop.
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      {children}
    </dialog>
  )
}
