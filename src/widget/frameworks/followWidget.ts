import type { WidgetEvents, WidgetHandle } from '../index.ts'

/** Who the visitor is. */
export type Auth = Pick<WidgetEvents['auth'], 'state' | 'contact'>

/** What servers render, and browsers at first: nobody knows yet who the visitor is. */
export const unknownVisitor: Auth = { state: 'anonymous', contact: null }

export const authOf = ({ auth }: WidgetHandle): Auth => ({ state: auth.state, contact: auth.contacts.current })

/** Passes on what changes until the widget is destroyed. */
export function followWidget(
  natter: WidgetHandle,
  onUnread: (count: number) => void,
  onAuth: (auth: Auth) => void,
): void {
  natter.on('unread', ({ count }) => onUnread(count))
  natter.on('auth', ({ state, contact }) => onAuth({ state, contact }))
}
