import type { AuthState, CurrentContact, Emitter } from './events.ts'

/** The widget, as the page has it in hand. On a server, and in a browser that is too old, it does nothing. */
export interface WidgetHandle {
  readonly auth: {
    readonly state: AuthState
    /**
     * Asks the site's `tokenUrl` who is signed in now: call it after the site's own sign-in and sign-out where that loads no
     * new page. Resolves when the chat shows so; without `tokenUrl` it does nothing. Rejects with an error whose `code` is
     * `chunk_failed`.
     * @example
     * await natter.auth.refresh()
     */
    refresh(): Promise<void>
    readonly contacts: {
      /**
       * Identifies the visitor by a contact token that the site's server obtained. The same token as now resolves at once;
       * any other blanks the chat first. Rejects with an error whose `code` is `token_malformed`, `token_invalid`,
       * `network`, `origin_not_allowed`, `superseded`, `bot_unavailable` or `chunk_failed`; the visitor is then anonymous.
       * @example
       * await natter.auth.contacts.login({ token })
       */
      login(credentials: { token: string }): Promise<{ contact: CurrentContact | null }>
      /**
       * Clears everything of the visitor at once, in every tab and offline too, and revokes the token. Never rejects.
       * It works after `destroy()`, too.
       */
      logout(): Promise<void>
      /** The contact that the visitor is identified as. */
      readonly current: CurrentContact | null
    }
  }
  /** Opens the panel, and shows the widget if it is hidden. */
  open(): void
  /** Closes the panel. */
  close(): void
  /** Opens the panel, or closes it if it is open. */
  toggle(): void
  /** Shows the widget after `hide()`, and puts it back if the page has removed it. */
  show(): void
  /** Closes the panel and takes the launcher away. */
  hide(): void
  /**
   * Fetches the files that the panel needs, so that it opens without delay. It asks the platform nothing and stores nothing.
   * Rejects with an error whose `code` is `chunk_failed`; opening then tries again.
   */
  preload(): Promise<void>
  /** Opens the panel; sends `text` as the visitor's message, puts `prefill` into the composer. */
  message(message: { text?: string; prefill?: string }): void
  /**
   * Sends facts about the visitor with each message from now on, for the organization alone, such as `{ plan: 'pro', cart: 3 }`.
   * They replace the former ones; `null` clears them, and so does the visitor's logout. At most 20 keys (a letter, then up to
   * 39 of A-Z, a-z, 0-9, `_`, `.`, `-`), texts of at most 500 characters, numbers, booleans, 2 KiB of JSON together. Throws a
   * `TypeError` that names the key of anything else.
   */
  setContext(context: Record<string, string | number | boolean> | null): void
  /** Speaks another language, a BCP 47 tag. An open panel stays open. */
  setLocale(tag: string): void
  /** Calls `listener` at every event of that name. Returns the function that ends it. */
  on: Emitter['on']
  /** Ends what `on` with the same arguments has begun. */
  off: Emitter['off']
  /** Resolves when the launcher is there. */
  readonly ready: Promise<void>
  /** Takes the widget away and leaves nothing behind; the session stays for the next page. */
  destroy(): void
}

/** A widget in one document: launcher, core and panel. A handle has another one after the page has replaced its document. */
export interface WidgetInstance extends Omit<WidgetHandle, 'on' | 'off' | 'ready'> {
  /** Puts the widget back if the page has removed it, or into the body that the page has now. */
  attach(): void
}
