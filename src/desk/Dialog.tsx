import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useDesk } from './DeskContext.ts'
import { Field } from './Field.tsx'
import { interpolate } from './i18n/format.ts'

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
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // So the focus returns, too, if it is closed by not being rendered any more.
    return () => dialog?.close()
  }, [])
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
  /** What has to be typed first. */
  typed?: string | undefined
  onConfirm(): void
  onClose(): void
}

/** Asks before something that can't be undone. */
export function ConfirmDialog({ title, hint, confirm, typed, onConfirm, onClose }: ConfirmDialogProps): JSX.Element {
  const texts = useDesk().strings.app
  const value = useSignal('')
  const isTyped = typed === undefined || normalize(value.value) === normalize(typed)
  return (
    <Dialog label={title} onClose={onClose}>
      <form
        method="dialog"
        class="dialog-content"
        onSubmit={({ submitter }) => (submitter as HTMLButtonElement | null)?.value === 'confirm' && onConfirm()}
      >
        <h2>{title}</h2>
        <p>{hint}</p>
        {typed !== undefined && (
          <Field
            name="typed"
            label={interpolate(texts.typeToConfirm, { text: typed })}
            input={{
              autocomplete: 'off',
              onInput({ currentTarget }) {
                value.value = currentTarget.value
              },
            }}
          />
        )}
        <div class="dialog-actions">
          <button type="submit" class="button">
            {texts.cancel}
          </button>
          <button type="submit" class="button danger" value="confirm" disabled={!isTyped}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Nobody sees how many spaces a name has. */
const normalize = (text: string): string => text.trim().replace(/\s+/g, ' ')
