import { nextEpoch } from '../storage/epoch.ts'
import { parseIdentity, storageKey, stringifyIdentity } from '../storage/storedIdentity.ts'
import type { ParsedOptions } from './parseOptions.ts'

// What the loader does with storage before the core is there: the same entries as storage/identityStore.ts.

type StorageOptions = Pick<ParsedOptions, 'botId' | 'persist'>

/** There is no `memoryStorage`: using it throws, as where the browser blocks storage. */
const openStorage = ({ persist = 'local' }: StorageOptions) => window[`${persist}Storage` as 'localStorage']

/** The stored token, `''` for none, or `-` where something of an earlier epoch is left to erase. */
export function readToken(options: StorageOptions): string {
  try {
    const storage = openStorage(options)
    const { token } = parseIdentity(storage.getItem(storageKey(options.botId, 'identity')))
    return token || (storage.getItem(storageKey(options.botId, 'erasePending')) && '-') || ''
  } catch {
    return ''
  }
}

/** The stored token if it is a contact's, else `''`. */
export function readContactToken(options: StorageOptions): string {
  const token = readToken(options)
  return token[0] === 'c' ? token : ''
}

/**
 * Begins the epoch of a logout, which has no token, so that every tab forgets the visitor; with `expectedToken` only where
 * that is the one that is stored. Returns the token, `''` for none; `undefined` where another one is stored.
 */
export function forgetSession(options: StorageOptions, expectedToken?: string): string | undefined {
  const { botId } = options
  let token: string | null = null
  try {
    const storage = openStorage(options)
    const stored = parseIdentity(storage.getItem(storageKey(botId, 'identity')))
    if (expectedToken !== undefined && expectedToken !== stored.token) return undefined
    token = stored.token
    const epoch = nextEpoch(stored.epoch)
    storage.setItem(storageKey(botId, 'identity'), stringifyIdentity(epoch, 'logout'))
    storage.removeItem(storageKey(botId, 'unsavedDraft'))
    // The `storage` event reaches other tabs only. A CustomEvent, because old libraries replace `window.Event`.
    dispatchEvent(new CustomEvent('natter'))
    storage.setItem(storageKey(botId, 'erasePending'), epoch)
  } catch {
    // Storage is blocked, so nothing is stored either, or has no room for the reminder.
  }
  return token || ''
}
