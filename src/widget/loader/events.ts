import type { Message } from '../../contract/index.ts'

/** Where identity stands: `identifying` while a login is being checked or a stored session restored. */
export type AuthState = 'anonymous' | 'identifying' | 'identified'

/** Why identity changed. */
export type AuthReason = 'login' | 'logout' | 'revoked' | 'expired' | 'contact_deleted' | 'replaced' | 'restored'

/** The contact a visitor is identified as. */
export interface CurrentContact {
  id: string
  name: string
}

/** Each event's name and what its listeners get. */
export interface WidgetEvents {
  /** The launcher is there. */
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
  /** The visitor wants to sign in: the bot talks to signed-in people only. */
  signin: undefined
  /** A message was stored on the platform, the visitor's own included. */
  message: Message
  /** The number of unread messages changed. */
  unread: { count: number }
  /** Something failed that the visitor can see; `code` is of the error table. */
  error: { code: WidgetErrorCode }
}

/** What `login()` rejects with (its `code`), and the `error` event's words. */
export type WidgetErrorCode =
  | 'token_malformed'
  | 'token_invalid'
  | 'network'
  | 'superseded'
  | 'origin_not_allowed'
  | 'bot_unavailable'
  | 'chunk_failed'
  | 'message_failed'
  | 'history_failed'
  | 'render_failed'
  | 'token_url_failed'

export type WidgetListener<Name extends keyof WidgetEvents> = (detail: WidgetEvents[Name]) => void

/** The page's listeners. */
export interface Emitter {
  /** Returns its undo. */
  on<Name extends keyof WidgetEvents>(event: Name, listener: WidgetListener<Name>): () => void
  off<Name extends keyof WidgetEvents>(event: Name, listener: WidgetListener<Name>): void
  emit<Name extends keyof WidgetEvents>(event: Name, detail?: WidgetEvents[Name]): void
  /** Forgets all listeners. */
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
      // Another list, as in `off`: one that is being gone through doesn't change.
      listeners = [...listeners, [event, listener]]
      return () => off(event, listener)
    },
    off,
    emit(event, detail) {
      for (const [name, listener] of listeners) {
        try {
          if (name === event) listener(detail as never)
        } catch (cause) {
          // The page's own mistake is the page's to see, and stops neither the widget nor the next listener.
          reportError(cause)
        }
      }
    },
    clear() {
      listeners = []
    },
  }
}
