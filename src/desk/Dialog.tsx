import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { closePath } from '../widget/styles/closePath.ts'
import { useDesk } from './DeskContext.ts'
import { Field } from './Field.tsx'
import { Icon } from './Icon.tsx'
import { interpolate } from './i18n/format.ts'

interface DialogProps {
  title: string
  class?: string
  /** What closes it beside its button: Escape and clicks outside of it, or nothing. By default, Escape alone. */
  closedBy?: 'any' | 'none'
  /** Called when it was closed. `chosen`: the value of the button of a form that has closed it, or `''`. */
  onClose(chosen: string): void
  children: ComponentChildren
}

/** A modal dialog, which is open while it is rendered. The focus returns to where it was. */
export function Dialog({ title, class: className = '', closedBy, onClose, children }: DialogProps): JSX.Element {
  const { strings } = useDesk()
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // So the focus returns, too, if it is closed by not being rendered any more.
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog ${className}`}
      aria-label={title}
      closedby={closedBy}
      // Escape, in browsers that don't know `closedby`.
      onCancel={event => closedBy === 'none' && event.preventDefault()}
      onClose={({ currentTarget }) => onClose(currentTarget.returnValue)}
    >
      <form method="dialog" class="dialog-header">
        <h2>{title}</h2>
        <button type="submit" class="icon-button" aria-label={strings.app.close}>
          <Icon path={closePath} />
        </button>
      </form>
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
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      <form method="dialog" onSubmit={() => onConfirm()}>
        {typed !== undefined && (
          <Field
            name="typed"
            label={interpolate(texts.typeToConfirm, { text: typed })}
            autocomplete="off"
            autofocus
            onInput={({ currentTarget }) => {
              value.value = currentTarget.value
            }}
          />
        )}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" class="button danger" disabled={!isTyped}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Nobody sees how many spaces a name has. */
const normalize = (text: string): string => text.trim().replace(/\s+/g, ' ')
