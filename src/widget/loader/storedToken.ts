import { nextEpoch } from '../storage/epoch.ts'
import { isContactToken, parseIdentity, storageKey, stringifyIdentity } from '../storage/storedIdentity.ts'
import type { ParsedOptions } from './parseOptions.ts'

// Access to localStorage before the core is loaded. It uses the same entries as storage/identityStore.ts.

type StorageOptions = Pick<ParsedOptions, 'botId' | 'persist'>

/** `memoryStorage` does not exist, so using it throws, as it does if the browser blocks storage. */
const openStorage = ({ persist = 'local' }: StorageOptions) => window[`${persist}Storage` as 'localStorage']

/** Returns the stored token, `''` if there is none, or `-` if data of an earlier epoch must still be erased. */
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
  return isContactToken(token) ? token : ''
}

/**
 * Begins a new epoch without a token, so that every tab logs out. Returns the former token, or `''` if there was none. If
 * another token than `expectedToken` is stored, it does nothing and returns `undefined`.
 */
export function forgetSession(options: StorageOptions, expectedToken?: string): string | undefined {
  const { botId } = options
  const identityKey = storageKey(botId, 'identity')
  let token: string | null = null
  try {
    const storage = openStorage(options)
    const stored = parseIdentity(storage.getItem(identityKey))
    if (expectedToken !== undefined && expectedToken !== stored.token) return undefined
    token = stored.token
    const epoch = nextEpoch(stored.epoch)
    const entry = stringifyIdentity(epoch, 'logout')
    try {
      storage.setItem(identityKey, entry)
    } finally {
      // Some consent tools replace `setItem` by a function that does nothing. Even then the token must not stay.
      if (storage.getItem(identityKey) !== entry) storage.removeItem(identityKey)
      storage.removeItem(storageKey(botId, 'unsavedDraft'))
      // The `storage` event is not fired in this window. Use CustomEvent, because old libraries replace `window.Event`.
      dispatchEvent(new CustomEvent('natter:auth'))
    }
    storage.setItem(storageKey(botId, 'erasePending'), epoch)
  } catch {
    // Storage is blocked, so nothing is stored, or it has no room for `erasePending`.
  }
  return token || ''
}
