import type { Message } from '../../contract/index.ts'

/** Who the visitor is. `identifying`: a login is being verified, or a stored session restored. */
export type AuthState = 'anonymous' | 'identifying' | 'identified'

/** Why identity changed. */
export type AuthReason = 'login' | 'logout' | 'revoked' | 'expired' | 'contact_deleted' | 'replaced' | 'restored'

/** The contact a visitor is identified as. */
export interface CurrentContact {
  id: string
  name: string
}

/** The events, and what their listeners receive. */
export interface WidgetEvents {
  /** The launcher is in the page. */
  ready: undefined
  /** The panel opened. */
  open: undefined
  /** The panel closed. */
  close: undefined
  /** The widget became visible. */
  show: undefined
  /** The widget became invisible. */
  hide: undefined
  /** Identity changed, in this tab or another. */
  auth: { state: AuthState; contact: CurrentContact | null; reason: AuthReason }
  /** The visitor wants to sign in. Emitted only if the bot is for people who are signed in. */
  signin: undefined
  /** The platform stored a message, including the visitor's own. */
  message: Message
  /** The number of unread messages changed. */
  unread: { count: number }
  /** Something failed that the visitor can see. */
  error: { code: WidgetErrorCode }
}

/** The codes of the errors that `login()` rejects with, and of the `error` event. */
export type WidgetErrorCode =
  | 'token_malformed'
  | 'token_invalid'
  | 'network'
  | 'superseded'
  | 'destroyed'
  | 'origin_not_allowed'
  | 'bot_unavailable'
  | 'chunk_failed'
  | 'message_failed'
  | 'history_failed'
  | 'render_failed'
  | 'token_url_failed'

type WidgetListener<Name extends keyof WidgetEvents> = (detail: WidgetEvents[Name]) => void

/** The page's listeners. */
export interface Emitter {
  /** Returns a function that removes the listener. */
  on<Name extends keyof WidgetEvents>(event: Name, listener: WidgetListener<Name>): () => void
  off<Name extends keyof WidgetEvents>(event: Name, listener: WidgetListener<Name>): void
  emit<Name extends keyof WidgetEvents>(event: Name, detail?: WidgetEvents[Name]): void
  /** Removes all listeners. */
  clear(): void
}

export function createEmitter(): Emitter {
  let listeners: (readonly [event: keyof WidgetEvents, listener: (detail: never) => void])[] = []
  const off: Emitter['off'] = (event, listener) => {
    listeners = listeners.filter(each => each[0] !== event || each[1] !== listener)
  }
  return {
    on(event, listener) {
      if (typeof listener !== 'function') throw new TypeError('not a function')
      // Create a new array, as `off` does: `emit` may be iterating over the old one.
      listeners = [...listeners, [event, listener]]
      return () => off(event, listener)
    },
    off,
    emit(event, detail) {
      for (const [name, listener] of listeners) {
        try {
          if (name === event) listener(detail as never)
        } catch (cause) {
          // Report it as an uncaught error of the page, without stopping the widget or the next listener.
          reportError(cause)
        }
      }
    },
    clear() {
      listeners = []
    },
  }
}

/** What `login()` rejects with; switch on `code`. Never holds a token. */
export interface WidgetError extends Error {
  code: WidgetErrorCode
}

export function widgetError(code: WidgetErrorCode, message: string, cause?: unknown): WidgetError {
  return Object.assign(new Error(message, { cause }), { code })
}
