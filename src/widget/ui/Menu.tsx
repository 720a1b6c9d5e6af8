import { useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useRef } from 'preact/hooks'
import type { Models } from '../core.ts'
import { MoreIcon } from './icons.tsx'

/** The header's menu. */
export function Menu({ models: { session, strings } }: { models: Models }): ComponentChild {
  const open = useSignal(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    open.value = false
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears what its buttons let pass.
    <div
      class="menu"
      onFocusOut={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) close()
      }}
      onKeyDown={event => {
        if (event.key !== 'Escape' || !open.value) return
        // The first Escape closes the menu, the next one the panel.
        event.stopPropagation()
        close()
        button.current?.focus()
      }}
    >
      <button
        type="button"
        class="icon"
        aria-label={strings.menu}
        aria-haspopup="menu"
        aria-expanded={open.value}
        ref={button}
        onClick={() => {
          open.value = !open.value
        }}
      >
        <MoreIcon />
      </button>
      {open.value && (
        <div role="menu">
          {/* tabIndex: Safari focuses a clicked button only so, and losing the focus closes the menu before the click. */}
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            ref={item => item?.focus()}
            onClick={() => {
              close()
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
