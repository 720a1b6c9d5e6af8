import type { Signal } from '@preact/signals-core'
import type { JSX } from 'preact'
import type { Models } from '../core.ts'
import { button, iconButton } from './buttons.tsx'

/** The same function at every drawing: else Preact would call it each time. */
const focus = (item: HTMLElement | null) => item?.focus()

/** The header's menu. */
export function Menu({ session, strings }: Models, open: Signal<boolean>): JSX.Element {
  const toggle = () => {
    open.value = !open.value
  }
  const endChat = () => {
    toggle()
    session.logout()
  }
  return (
    <div
      onFocusOut={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) open.value = false
      }}
    >
      {iconButton(strings.menu, 'M5 12h1M12 12h1M19 12h1', toggle, {
        'aria-haspopup': 'menu',
        'aria-expanded': open.value,
      })}
      {open.value && (
        // tabIndex: Safari focuses a clicked button only so, and losing the focus closes the menu before the click.
        <div role="menu">
          {button(strings.endChat, endChat, { class: '', role: 'menuitem', tabIndex: -1, ref: focus })}
        </div>
      )}
    </div>
  )
}
