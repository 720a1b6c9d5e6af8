import { nextEpoch } from '../storage/epoch.ts'
import type { ParsedOptions } from './parseOptions.ts'

// What the loader does with storage before the core is there: the same keys as storage/identityStore.ts.

type StorageOptions = Pick<ParsedOptions, 'botId' | 'persist'>

/** In the token's place: no token, but something else that is stored has still to be erased, which takes the core. */
const erasePending = '-'

const keyOf = ({ botId }: StorageOptions, name: 'token' | 'epoch' | 'unsavedDraft') => `natter:${botId}:${name}`

/** There is no `memoryStorage`: using it throws, as where the browser blocks storage. */
const openStorage = ({ persist = 'local' }: StorageOptions) => window[`${persist}Storage` as 'localStorage']

/** The stored token, `''` for none, or `-` where something is left to erase. */
export function readToken(options: StorageOptions): string {
  try {
    return openStorage(options).getItem(keyOf(options, 'token')) || ''
  } catch {
    return ''
  }
}

/** Removes the token and begins the epoch of a logout, so that every tab forgets the visitor. Returns the token. */
export function forgetSession(options: StorageOptions): string {
  const token = readToken(options)
  try {
    const storage = openStorage(options)
    storage.removeItem(keyOf(options, 'unsavedDraft'))
    const epochKey = keyOf(options, 'epoch')
    storage.setItem(epochKey, nextEpoch(storage.getItem(epochKey), 'logout'))
    storage.setItem(keyOf(options, 'token'), erasePending)
    // The `storage` event reaches other tabs only. A CustomEvent, because old libraries replace `window.Event`.
    dispatchEvent(new CustomEvent('natter'))
  } catch {
    // Storage is blocked, so nothing is stored either.
  }
  return token === erasePending ? '' : token
}
