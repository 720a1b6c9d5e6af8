import { bundledChunks } from './bundledChunks.ts'
import { createHandle } from './loader/createHandle.ts'
import { isPersistenceValid, type WidgetOptions } from './loader/options.ts'
import { createInertHandle, isSupported, type WidgetHandle } from './loader/widgetHandle.ts'

export type {
  AuthReason,
  AuthState,
  CurrentContact,
  WidgetError,
  WidgetErrorCode,
  WidgetEvents,
} from './loader/events.ts'
export type { WidgetOptions } from './loader/options.ts'
export type { WidgetHandle } from './loader/widgetHandle.ts'

/**
 * Puts the widget on the page. On a server it does nothing, so it is safe to call there. Throws a `TypeError` if `botId` is
 * missing, if `baseUrl` is missing or not an address, if `target` is missing in inline mode, or if `persist` is wrong. Any
 * other wrong value causes a warning in the console, and the default is used.
 * @example
 * const natter = createWidget({ botId: 'BOT_ID', baseUrl: 'https://chat.example' })
 */
export function createWidget(options: WidgetOptions & { baseUrl: string }): WidgetHandle {
  const { botId, baseUrl, mode, target, persist } = Object(options) as Partial<WidgetOptions>
  if (!botId || typeof botId !== 'string') {
    throw new TypeError("createWidget() needs `botId`: the bot's id, from `natter bot list`")
  }
  if (!/^(https?:\/)?\//.test(`${baseUrl}`)) {
    throw new TypeError(
      `createWidget() needs \`baseUrl\`: the platform's address with https://, such as "https://chat.example"`,
    )
  }
  if (mode === 'inline' && !target) {
    throw new TypeError(
      'createWidget() with `mode: "inline"` needs `target`: the element that the chat fills, or its selector',
    )
  }
  if (!isPersistenceValid(persist)) {
    throw new TypeError('createWidget() needs `persist` to be "local", "session" or "memory", if it is set')
  }
  // On a server there is no document.
  if (typeof document === 'undefined' || !isSupported()) return createInertHandle()
  // As for script tags: two launchers of one bot would lie over each other.
  const handles = window as unknown as Record<symbol, WidgetHandle | undefined>
  const key = Symbol.for(`natter:${botId}`)
  if (handles[key])
    console.warn(
      `Natter: this page already has a widget with the bot ${botId}, which createWidget() returns. Create it once, and share it.`,
    )
  const onDestroy = () => {
    delete handles[key]
  }
  handles[key] ??= createHandle(options, { chunks: bundledChunks, onDestroy })
  return handles[key]
}
