import type { Signal } from '@preact/signals-core'
import type { JSX } from 'preact'
import type { Models } from '../app/createApp.ts'
import { button, iconButton } from './buttons.tsx'

/** `ask`: whether the chat is to be ended after all. */
export type MenuState = '' | 'menu' | 'ask'

const focusFirst = (box: Element | null) => box?.querySelector('button')?.focus()

/** The header's menu. */
export function Menu({ session, conversation, sound, strings }: Models, menu: Signal<MenuState>): JSX.Element {
  const state = menu.value
  const asks = state === 'ask'
  const go = ({ currentTarget }: MouseEvent, next: MenuState = '') => {
    const more = (currentTarget as Element).closest('.more') as Element
    // Before what has the focus goes: losing it that way would close the next one, too.
    focusFirst(more)
    menu.value = next
    focusFirst(more.querySelector('.menu'))
  }
  const item = (text: string, onClick: (event: MouseEvent) => void, more?: JSX.IntrinsicElements['button']) =>
    // tabIndex: Safari focuses a clicked button only so, and losing the focus closes the menu before the click.
    button(text, onClick, { class: 'item', role: asks ? undefined : 'menuitem', tabIndex: asks ? 0 : -1, ...more })
  const isOn = state && sound.isOn.value
  return (
    <div
      class="more"
      onFocusOut={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) menu.value = ''
      }}
    >
      {iconButton(strings.menu, 'M5 12h1M12 12h1M19 12h1', event => go(event, state ? '' : 'menu'), {
        'aria-haspopup': 'menu',
        'aria-expanded': !!state,
      })}
      {state && (
        <div
          key={state}
          class="menu"
          {...(asks
            ? { role: 'alertdialog', 'aria-label': strings.endChatAsk }
            : { role: 'menu', onKeyDown: moveFocus })}
        >
          {asks ? (
            <>
              <p>{strings.endChatAsk}</p>
              {/* It comes to where the click was: a second one there ends nothing. */}
              {item(strings.cancel, event => go(event))}
            </>
          ) : (
            item(
              strings.sound,
              event => {
                sound.set(!isOn)
                go(event)
              },
              { role: 'menuitemcheckbox', 'aria-checked': !!isOn },
            )
          )}
          {(session.status.value !== 'anonymous' ||
            conversation.messageStore.messages.value[0] ||
            conversation.outbox.pending.value[0]) &&
            item(strings.endChat, event => {
              go(event, asks ? '' : 'ask')
              if (asks) session.logout()
            })}
        </div>
      )}
    </div>
  )
}

/** As in any menu: arrows go round, Home and End to its ends. */
function moveFocus(event: KeyboardEvent) {
  const items = [...(event.currentTarget as Element).querySelectorAll('button')]
  const at = items.indexOf(event.target as HTMLButtonElement)
  const moves: Partial<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
  const next = moves[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
