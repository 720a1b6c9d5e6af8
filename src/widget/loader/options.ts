import type { OwnStrings } from '../i18n/en.ts'

/** `floating`: over the page, in a corner. `inline`: as a part of the page. */
type DisplayMode = 'floating' | 'inline'

/** The options of a site. Every option except `botId` has a default. */
export interface WidgetOptions {
  /** The bot's id, from `natter bot list`. */
  botId: string
  /** Address of the platform. Default for the script tag: the script's own origin; required for `createWidget`. */
  baseUrl?: string
  /**
   * The language: a BCP 47 tag, or several in order of preference, separated by commas. Default: the page's (`<html
   * lang>`), else the browser's.
   */
  locale?: string
  /** `auto` follows the visitor's system. Default `auto`. */
  theme?: 'auto' | 'light' | 'dark'
  /** `#rrggbb` of launcher and panel. Default: the bot's own in the panel, `#3b5bdb` for the launcher. */
  accent?: string
  /** The corner of the page, in the page's reading direction. Default `end`. */
  position?: 'start' | 'end'
  /** `inline` puts the chat into `target`, open from the start. Default `floating`. */
  mode?: DisplayMode
  /** Required for `inline`: the element that the chat fills, or its selector. The element needs a height. */
  target?: string | Element | ShadowRoot
  /** Selector of the site's own elements that open and close the chat. They replace the launcher. */
  launcher?: string
  /** Distance from the page's edges in CSS pixels. Default 20. */
  offset?: number
  /** `z-index` of the host element. Default 2000000000. */
  zIndex?: number
  /** Shows the number of unread messages in the page's title. Default `false`. */
  titleBadge?: boolean | string
  /** Shows a new message in a card above the launcher while the chat is closed. Default `true`. */
  preview?: boolean | string
  /**
   * Where the visitor's token, messages and draft are stored: `local` for all tabs and the next visit, `session` for this
   * tab until it is closed, `memory` until this page is left. With `session` and `memory`, tabs don't share a session, and
   * learn of a logout in another tab only from the platform. Default `local`.
   */
  persist?: 'local' | 'session' | 'memory'
  /**
   * Called by one tab when the contact's token has expired, never after a revocation. Resolves to a new token of the same
   * contact. Meanwhile nothing is sent, and the conversation stays visible. `null`, or repeated failure, ends the session.
   * On the script tag, `data-refresh-token` names a global function. Default: an expired session ends.
   */
  refreshToken?: (expired: string) => Promise<string | null>
  /**
   * The site's endpoint that says who is signed in: a path, or an https address that the page may call with credentials. It
   * is called when the chat is opened, before a stored session of a contact is shown, when the page was hidden for a
   * minute, when a token has expired, and by `auth.refresh()`. It replaces `refreshToken`.
   */
  tokenUrl?: string
  /**
   * Sends origin, path and title of the page with each message, for the organization only. Query and fragment are never
   * sent. A function receives the path and returns the one to send, because a path can contain secrets, too. Default
   * `false`.
   */
  page?: boolean | string | ((path: string) => string)
  /** Replaces individual texts of the widget, in every language. */
  strings?: OwnStrings
}

export type OptionName = keyof WidgetOptions

/** What the option `persist` accepts. */
export const persistence = /^(local|session|memory)$/

/**
 * Whether a site's `persist` is valid or not set. If it is misspelt there is no chat: any other value could store more than
 * the site wants, or forget its visitors.
 */
export const isPersistenceValid = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || persistence.test(`${value}`)

/** Returns the page's language, else the browser's, as a BCP 47 tag. */
export const pageLocale = (): string => document.documentElement.lang || navigator.language
