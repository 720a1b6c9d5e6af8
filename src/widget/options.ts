import type { Strings } from './strings/en.ts'

/** What a site sets; every option but `botId` has a default. */
export interface WidgetOptions {
  /** The bot's id, from `natter bot list`. */
  botId: string
  /** Address of the platform. Default for the script tag: the script's own origin; required for `createWidget`. */
  baseUrl?: string
  /** `auto` follows the visitor's system. Default `auto`. */
  theme?: 'auto' | 'light' | 'dark'
  /** `#rrggbb` of launcher and panel. Default: the bot's own in the panel, `#3b5bdb` for the launcher. */
  accent?: string
  /** The corner of the page, in the page's reading direction. Default `end`. */
  position?: 'start' | 'end'
  /** Distance from the page's edges in CSS pixels. Default 20. */
  offset?: number
  /** `z-index` of the host element. Default 2000000000. */
  zIndex?: number
  /** Replaces single texts of the widget. */
  strings?: Partial<Strings>
}
