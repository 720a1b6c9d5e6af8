import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useDesk } from './DeskContext.ts'

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

interface ConfirmDialogProps {
  title: string
  hint: string
  confirm: string
  onConfirm(): void
  onClose(): void
}

/** Asks before something that can't be undone. */
export function ConfirmDialog({ title, hint, confirm, onConfirm, onClose }: ConfirmDialogProps): JSX.Element {
  return (
    <Dialog label={title} onClose={onClose}>
      <form
        method="dialog"
        class="dialog-content"
        onSubmit={({ submitter }) => (submitter as HTMLButtonElement | null)?.value === 'confirm' && onConfirm()}
      >
        <h2>{title}</h2>
        <p>{hint}</p>
        <div class="dialog-actions">
          <button type="submit" class="button">
            {useDesk().strings.app.cancel}
          </button>
          <button type="submit" class="button danger" value="confirm">
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
