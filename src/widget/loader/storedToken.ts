import {
  createNonce,
  isContactToken,
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

/** Returns the stored token, `''` if there is none, or `-` if the core has work left: data to erase, or messages to send. */
export function readToken(options: StorageOptions): string {
  const { token } = readIdentity(options)
  return token || (readEntry(openStorage(options), storageKey(options.botId, 'workPending')) && '-') || ''
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
  const { epoch, token } = readIdentity(options)
  if (expectedToken !== undefined && expectedToken !== token) return undefined
  const next = nextEpoch(epoch, Date.now(), createNonce('logout'))
  storeEpoch(openStorage(options), options.botId, next, 'logout')
  // The `storage` event is not fired in this window. Use CustomEvent, because old libraries replace `window.Event`.
  dispatchEvent(new CustomEvent('natter:auth'))
  return token || ''
}
