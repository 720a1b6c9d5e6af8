import type { AuthState, CurrentContact, Emitter } from './events.ts'

/** Controls a widget. On a server and in an unsupported browser it does nothing. */
export interface WidgetHandle {
  readonly auth: {
    readonly state: AuthState
    /**
     * Asks the site's `tokenUrl` who is signed in. Call it after the site's own sign-in or sign-out if that loads no new page.
     * Resolves when the chat has followed; without `tokenUrl` it does nothing but warn in the console. Rejects with an error
     * whose `code` is `chunk_failed`.
     * @example
     * await natter.auth.refresh()
     */
    refresh(): Promise<void>
    readonly contacts: {
      /**
       * Identifies the visitor by a contact token that the site's server obtained. Resolves at once for the current token; any
       * other token clears the chat first. Rejects with an error whose `code` is `token_malformed`, `token_invalid`,
       * `network`, `origin_not_allowed`, `superseded`, `destroyed`, `bot_unavailable` or `chunk_failed`; the visitor is then anonymous.
       * @example
       * await natter.auth.contacts.login({ token })
       */
      login(credentials: { token: string }): Promise<{ contact: CurrentContact | null }>
      /**
       * Clears all data of the visitor at once, in every tab, even offline, and revokes the token. Never rejects. It also
       * works after `destroy()`.
       */
      logout(): Promise<void>
      /** The contact that the visitor is identified as, or `null`. */
      readonly current: CurrentContact | null
    }
  }
  /** Opens the panel, and shows the widget if it is hidden. */
  open(): void
  /** Closes the panel. */
  close(): void
  /** Opens the panel, or closes it if it is open. */
  toggle(): void
  /** Shows the widget after `hide()`, and adds it again if the page has removed it. */
  show(): void
  /** Closes the panel and hides the launcher. */
  hide(): void
  /**
   * Loads the files that the panel needs, so that it opens without delay. Sends no request to the platform and stores
   * nothing. Rejects with an error whose `code` is `chunk_failed`; opening then retries.
   */
  preload(): Promise<void>
  /** Opens the panel, sends `text` as the visitor's message, and puts `prefill` into the composer, after the visitor's own text. */
  message(message: { text?: string; prefill?: string }): void
  /**
   * Sets facts about the visitor that are sent with each message, for the organization only, such as `{ plan: 'pro', cart: 3 }`.
   * They replace the former ones. `null` clears them, and so does a logout. At most 20 keys (a letter, then up to
   * 39 of A-Z, a-z, 0-9, `_`, `.`, `-`), texts of at most 500 characters, numbers, booleans, 2 KiB of JSON together. Throws a
   * `TypeError` that names the invalid key.
   */
  setContext(context: Record<string, string | number | boolean> | null): void
  /** Changes the language, a BCP 47 tag. An open panel stays open. */
  setLocale(tag: string): void
  /** Calls `listener` at every event with that name. Returns a function that removes the listener. */
  on: Emitter['on']
  /** Removes a listener. */
  off: Emitter['off']
  /** Resolves when the launcher is in the page. */
  readonly ready: Promise<void>
  /** Removes the widget and all of its listeners. The session stays stored for the next page. */
  destroy(): void
}

/** Whether the widget supports this browser: Chrome 111, Firefox 115, Safari 16.4, or later. */
export function isSupported(): boolean {
  return (
    'adoptedStyleSheets' in document &&
    // A feature that no polyfill provides.
    CSS.supports('color', 'color-mix(in srgb,red,red)')
  )
}

/** Creates the handle for servers and unsupported browsers. It renders nothing and throws nothing. */
export function createInertHandle(): WidgetHandle {
  const nothing = () => {}
  return {
    auth: {
      state: 'anonymous',
      refresh: () => Promise.resolve(),
      contacts: {
        login: () => Promise.resolve({ contact: null }),
        logout: () => Promise.resolve(),
        current: null,
      },
    },
    open: nothing,
    close: nothing,
    toggle: nothing,
    show: nothing,
    hide: nothing,
    preload: () => Promise.resolve(),
    message: nothing,
    setContext: nothing,
    setLocale: nothing,
    on: () => nothing,
    off: nothing,
    ready: new Promise(nothing),
    destroy: nothing,
  }
}
