import {
  createNonce,
  nextEpoch,
  parseIdentity,
  type StoredIdentity,
  storageKey,
  storeEpoch,
} from '../identity/storedIdentity.ts'
import { openStorage, readEntry } from '../store/entries.ts'
import type { ParsedOptions } from './parseOptions.ts'

// Access to localStorage before the core is loaded. It uses the same entries as identity/identityStore.ts.

type StorageOptions = Pick<ParsedOptions, 'botId' | 'persist'>

/** Returns the stored identity. */
export const readIdentity = (options: StorageOptions): StoredIdentity =>
  parseIdentity(readEntry(openStorage(options), storageKey(options.botId, 'identity')))

/** Returns the stored token, or `''` if there is none. */
export const readToken = (options: StorageOptions): string => readIdentity(options).token || ''

/** Whether the core has something to do: a session to restore, data to erase, or messages to send. */
export const isWorkPending = (options: StorageOptions): boolean =>
  !!(readToken(options) || readEntry(openStorage(options), storageKey(options.botId, 'workPending')))

/**
 * Begins a new epoch without a token, so that every tab logs out. Returns the former token, or `''` if there was none. If
 * another token than `expectedToken` is stored, it does nothing and returns `undefined`.
 */
export function forgetSession(options: StorageOptions, expectedToken?: string): string | undefined {
  const { epoch, token } = readIdentity(options)
  if (expectedToken !== undefined && expectedToken !== token) return undefined
  const next = nextEpoch(epoch, Date.now(), createNonce('logout'))
  storeEpoch(openStorage(options), options.botId, next, 'logout')
  // The `storage` event is not fired in this window. Use CustomEvent, because old libraries replace `window.Event`.
  dispatchEvent(new CustomEvent('natter:auth'))
  return token || ''
}
