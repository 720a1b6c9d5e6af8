import { getContext, onDestroy, onMount, setContext } from 'svelte'
import { type Readable, writable } from 'svelte/store'
import { createWidget, type WidgetHandle, type WidgetOptions } from '../index.ts'
import { type Auth, authOf, followWidget, unknownVisitor } from './followWidget.ts'

/** What `useNatter()` returns. */
export interface UseNatterResult {
  /** The calls of the widget. On a server they do nothing. */
  natter: WidgetHandle
  /** The number of unread messages. */
  unread: Readable<number>
  /** Who the visitor is. */
  auth: Readable<Auth>
}

const key = Symbol('natter')

/**
 * Keeps the widget on the page while the component is mounted. The components inside it call `useNatter()` without options,
 * and get the same. Options are read once. Throws a `TypeError` for what `createWidget()` does not accept, and an `Error`
 * without options if no component around it has called it with options.
 * @example
 * const { natter, unread } = useNatter({ botId: 'BOT_ID', baseUrl: 'https://chat.example' })
 */
export function useNatter(options?: WidgetOptions & { baseUrl: string }): UseNatterResult {
  if (!options) {
    const found = getContext<UseNatterResult | undefined>(key)
    if (!found) throw new Error('useNatter() without options needs a component around it that calls useNatter(options)')
    return found
  }
  const natter = createWidget(options)
  const unread = writable(0)
  const auth = writable(unknownVisitor)
  followWidget(natter, unread.set, auth.set)
  // Not before: the first rendering is as the server's.
  onMount(() => auth.set(authOf(natter)))
  onDestroy(natter.destroy)
  return setContext(key, { natter, unread, auth })
}
