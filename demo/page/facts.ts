import type { WidgetHandle } from 'natter'
import type { Customer } from './customer.ts'
import { keptToken } from './storage.ts'

const find = (selector: string) => document.querySelector<HTMLElement>(selector) as HTMLElement

/** Shows who the widget takes the visitor for, what the browser keeps of it, and who is signed in to the shop. */
export function showFacts({ auth }: WidgetHandle, customer: Customer, options: DOMStringMap): void {
  const { state, contacts } = auth
  const isIdentified = state === 'identified'
  const name = customer.name()
  find('[data-state]').dataset['state'] = state
  find('[data-session]').textContent = isIdentified ? `identified as ${contacts.current?.name}` : state
  find('[data-token]').textContent = keptToken(options)
  find('[data-shop]').textContent = name ? `${name} signed in` : 'nobody signed in'
  find('[data-customer]').textContent = name
  const hadFocus = document.activeElement?.closest('[data-when]')
  for (const element of document.querySelectorAll<HTMLElement>('[data-when]')) {
    element.hidden = (element.dataset['when'] === 'somebody') !== (name !== null)
  }
  // The keyboard's place is where the button was that has just done its work.
  if (hadFocus?.matches('[hidden]')) find('[data-when]:not([hidden]) button').focus()
  for (const button of document.querySelectorAll('[data-needs]')) {
    const isUseful = button.getAttribute('data-needs') === 'contact' ? isIdentified : name !== null
    // Not `disabled`, which would take that place away.
    button.setAttribute('aria-disabled', String(!isUseful))
  }
}
