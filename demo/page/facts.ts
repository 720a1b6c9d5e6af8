import type { WidgetHandle } from 'natter'
import type { Customer } from './customer.ts'
import { storedToken } from './storage.ts'

const find = (selector: string) => document.querySelector<HTMLElement>(selector) as HTMLElement

/** Shows the widget's session, the stored token, and who is signed in to the shop. */
export function showFacts({ auth }: WidgetHandle, customer: Customer, options: DOMStringMap): void {
  const { state } = auth
  const isIdentified = state === 'identified'
  const name = customer.name()
  find('[data-state]').dataset['state'] = state
  find('[data-session]').textContent = customer.chatState()
  find('[data-token]').textContent = storedToken(options)
  find('[data-shop]').textContent = name ? `${name} signed in` : 'nobody signed in'
  find('[data-customer]').textContent = name
  const hadFocus = document.activeElement?.closest('[data-when]')
  for (const element of document.querySelectorAll<HTMLElement>('[data-when]')) {
    element.hidden = (element.dataset['when'] === 'somebody') !== (name !== null)
  }
  // Moves the focus from a button that was just hidden to the one that replaces it.
  if (hadFocus?.matches('[hidden]')) find('[data-when]:not([hidden]) button').focus()
  for (const button of document.querySelectorAll('[data-needs]')) {
    const isUseful = button.getAttribute('data-needs') === 'contact' ? isIdentified : name !== null
    // Not `disabled`, which would lose the focus.
    button.setAttribute('aria-disabled', String(!isUseful))
    button.toggleAttribute('title', !isUseful)
    if (!isUseful) button.setAttribute('title', 'Sign in as Ada or Grace first')
  }
}
