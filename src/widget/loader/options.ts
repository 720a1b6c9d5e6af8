import type { OwnStrings } from '../i18n/en.ts'

/** `floating`: in a corner over the page. `inline`: a part of the page. */
export type DisplayMode = 'floating' | 'inline'

/** What a site sets; every option but `botId` has a default. */
export interface WidgetOptions {
  /** The bot's id, from `natter bot list`. */
  botId: string
  /** Address of the platform. Default for the script tag: the script's own origin; required for `createWidget`. */
  baseUrl?: string
  /** The language, a BCP 47 tag, or several by preference with commas. Default: the page's (`<html lang>`), else the browser's. */
  locale?: string
  /** `auto` follows the visitor's system. Default `auto`. */
  theme?: 'auto' | 'light' | 'dark'
  /** `#rrggbb` of launcher and panel. Default: the bot's own in the panel, `#3b5bdb` for the launcher. */
  accent?: string
  /** The corner of the page, in the page's reading direction. Default `end`. */
  position?: 'start' | 'end'
  /** `inline` puts the chat into `target`, open from the start. Default `floating`. */
  mode?: DisplayMode
  /** Of `inline`: the element that the chat fills, or a selector of it; it needs a height of its own. */
  target?: string | Element | ShadowRoot
  /** Selector of the site's own elements that open and close the chat, instead of the launcher. */
  launcher?: string
  /** Distance from the page's edges in CSS pixels. Default 20. */
  offset?: number
  /** `z-index` of the host element. Default 2000000000. */
  zIndex?: number
  /** Puts the number of unread messages before the page's title. Default `false`. */
  titleBadge?: boolean | string
  /**
   * Where the visitor's token, messages and draft are kept: `local` for every tab and the next visit, `session` for this
   * tab until it is closed, `memory` until this page is left. With the latter two a tab knows nothing of the others, and
   * hears of their logout from the platform alone. Default `local`.
   */
  persist?: 'local' | 'session' | 'memory'
  /**
   * Asked for a new token of the same contact when the one in use has expired, by one tab for all of them; never after a
   * revocation. Until it has answered nothing is sent, and the conversation stays; `null`, or repeated failure, ends the
   * session. In the script tag, `data-refresh-token` names a global function. Default: an expired session ends.
   */
  refreshToken?: (expired: string) => Promise<string | null>
  /**
   * The site's address that says who is signed in: a path, or an https address that the page may call with credentials.
   * It is asked when the chat is opened, before a stored contact session is shown, when the page has been away for a
   * minute, when a token has expired, and by `auth.refresh()`. `refreshToken` is not used beside it.
   */
  tokenUrl?: string
  /**
   * Sends origin, path and title of the page with each message, for the organization alone: never query or fragment. A
   * function gets the path and returns the one to send, because a path can hold secrets, too. Default `false`.
   */
  page?: boolean | string | ((path: string) => string)
  /** Replaces single texts of the widget, in every language. */
  strings?: OwnStrings
}
