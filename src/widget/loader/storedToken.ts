import type { WidgetOptions } from './options.ts'

// What the first stage does with storage before the core is there; the same keys as in identity.ts.

const key = ({ botId }: WidgetOptions, name: string) => `natter:${botId}:${name}`

/** Where identity is kept. There is no `memoryStorage`: using it throws, as where storage is blocked. */
const open = ({ persist = 'local' }: WidgetOptions) => window[`${persist}Storage` as 'localStorage']

/** The stored token, `''` for none, or `-` where something is left to erase. */
export function readToken(options: WidgetOptions): string {
  try {
    return open(options).getItem(key(options, 'token')) || ''
  } catch {
    // Storage is blocked.
    return ''
  }
}

/** Takes the token away and begins the epoch of a logout, so that every tab forgets; returns the token. */
export function forgetSession(options: WidgetOptions): string {
  const token = readToken(options)
  try {
    // Should the clock have been set back, then tabs that find a lower epoch forget all the same.
    open(options).setItem(key(options, 'epoch'), `${Date.now() * 1000} logout`)
    // Not a token, but something: the core, on this page or the next, has to erase what else is stored.
    open(options).setItem(key(options, 'token'), '-')
    // Other widgets in this window hear of no `storage`. Prototype.js and MooTools replace `Event`, but not `CustomEvent`.
    dispatchEvent(new CustomEvent('natter'))
  } catch {
    // As above.
  }
  return token
}
