import type { ComponentChildren, JSX, TargetedMouseEvent } from 'preact'
import { useStrings } from './WidgetContext.ts'

interface SheetProps {
  title: string
  /** The text. */
  children: ComponentChildren
  /** What its second button does. Without it, there is none. */
  action?: { label: string; run(): void }
  onClose(): void
}

/** A dialog of the menu, over the rest of the panel. */
export function Sheet({ title, children, action, onClose }: SheetProps): JSX.Element {
  const act = ({ detail, currentTarget }: TargetedMouseEvent<HTMLElement>) => {
    // Ignore the second click of a double click: the first one may have opened the question.
    if (detail > 1) return
    // What comes next must not be confirmed by the same key.
    const cancel = currentTarget.previousElementSibling as HTMLElement
    cancel.focus()
    action?.run()
  }
  return (
    // A press beside the buttons must not take the focus: when the menu loses it, the dialog closes.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus.
    <div class="scrim" onMouseDown={event => event.preventDefault()}>
      <div class="sheet" role="alertdialog" aria-labelledby="sheet-title" aria-describedby="sheet-text">
        <h3 id="sheet-title">{title}</h3>
        <section id="sheet-text">{children}</section>
        <div>
          <button type="button" onClick={onClose}>
            {useStrings().cancel}
          </button>
          {action && (
            <button type="button" onClick={act}>
              {action.label}
            </button>
          )}
        </div>
      </div>
    </div>
  )
}
