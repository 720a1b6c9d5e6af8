import type { Signal } from '@preact/signals-core'
import type { JSX } from 'preact'
import type { Models } from '../core.ts'
import { iconButton } from './buttons.tsx'

/** The same function at every drawing: else Preact would call it each time. */
const focus = (item: HTMLElement | null) => item?.focus()

/** The header's menu. */
export function Menu({ session, strings }: Models, open: Signal<boolean>): JSX.Element {
  return (
    <div
      class="menu"
      onFocusOut={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) open.value = false
      }}
    >
      {iconButton(strings.menu, 'M5 12h0M12 12h0M19 12h0', {
        'aria-haspopup': 'menu',
        'aria-expanded': open.value,
        onClick: () => {
          open.value = !open.value
        },
      })}
      {open.value && (
        <div role="menu">
          {/* tabIndex: Safari focuses a clicked button only so, and losing the focus closes the menu before the click. */}
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            ref={focus}
            onClick={() => {
              open.value = false
              session.logout()
            }}
          >
            {strings.endChat}
          </button>
        </div>
      )}
    </div>
  )
}
