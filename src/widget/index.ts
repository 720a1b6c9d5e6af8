import { createHandle, type WidgetHandle } from './loader/createHandle.ts'
import { createInertHandle, isSupported } from './loader/inertHandle.ts'
import type { WidgetOptions } from './loader/options.ts'

export type { WidgetHandle } from './loader/createHandle.ts'
export type { WidgetError } from './loader/errors.ts'
export type { AuthReason, AuthState, CurrentContact, WidgetErrorCode, WidgetEvents } from './loader/events.ts'
export type { WidgetOptions } from './loader/options.ts'

/**
 * Puts the widget on the page. On a server it does nothing, so that it may be called there.
 * Throws a `TypeError` when `botId` or `baseUrl` is missing, or `target` in inline mode.
 * @example
 * const natter = createWidget({ botId: 'BOT_ID', baseUrl: 'https://chat.example' })
 */
export function createWidget(options: WidgetOptions & { baseUrl: string }): WidgetHandle {
  if (!options.botId || !options.baseUrl) {
    throw new TypeError(
      "createWidget() needs { botId, baseUrl }: the bot's id from `natter bot list`, and the platform",
    )
  }
  if (options.mode === 'inline' && !options.target) {
    throw new TypeError(
      "createWidget() with mode 'inline' needs target: the element that the chat fills, or its selector",
    )
  }
  // On a server there is no document.
  if (typeof document === 'undefined' || !isSupported()) return createInertHandle()
  return createHandle(options, {
    core: () => import('./app/createApp.ts'),
    panel: () => import('./ui/mountPanel.tsx'),
    displayMode: () => import('./displayMode/index.ts'),
  })
}
