import { type InjectionKey, inject, onMounted, onScopeDispose, provide, type Ref, ref, shallowRef } from 'vue'
import { createWidget, type WidgetHandle, type WidgetOptions } from '../index.ts'
import { type Auth, authOf, followWidget, unknownVisitor } from './followWidget.ts'

/** What `useNatter()` returns. */
export interface UseNatterResult {
  /** The calls of the widget. On a server they do nothing. */
  natter: WidgetHandle
  /** The number of unread messages. */
  unread: Readonly<Ref<number>>
  /** Who the visitor is. */
  auth: Readonly<Ref<Auth>>
}

const key: InjectionKey<UseNatterResult> = Symbol('natter')

/**
 * Keeps the widget on the page while the component is mounted. The components inside it call `useNatter()` without options,
 * and get the same. Options are read once. Throws a `TypeError` for what `createWidget()` does not accept, and an `Error`
 * without options if no component around it has called it with options.
 * @example
 * const { natter, unread } = useNatter({ botId: 'BOT_ID', baseUrl: 'https://chat.example' })
 */
export function useNatter(options?: WidgetOptions & { baseUrl: string }): UseNatterResult {
  if (!options) {
    const found = inject(key, null)
    if (!found) throw new Error('useNatter() without options needs a component around it that calls useNatter(options)')
    return found
  }
  const natter = createWidget(options)
  const unread = ref(0)
  const auth = shallowRef(unknownVisitor)
  const setAuth = (next: Auth) => {
    auth.value = next
  }
  followWidget(
    natter,
    count => {
      unread.value = count
    },
    setAuth,
  )
  // Not before: the first rendering is as the server's.
  onMounted(() => setAuth(authOf(natter)))
  onScopeDispose(natter.destroy)
  const result = { natter, unread, auth }
  provide(key, result)
  return result
}
