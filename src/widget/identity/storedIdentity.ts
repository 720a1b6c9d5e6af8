import type { AuthReason } from '../loader/events.ts'
import { type OpenStorage, removeEntry, writeEntry } from '../store/entries.ts'

/**
 * Why an epoch has begun.
 * - `storage_reset`: storage held no epoch, because this is the first visit or because the page emptied it, or it held an
 *   outdated one.
 * - `signed_out`: nobody is signed in at the site, or the page has emptied storage. Unlike after `logout`, the widget may ask
 *   the site again who is signed in.
 * - `login_failed`: as `signed_out`, after a login that nobody was identified by.
 */
export type EpochReason = Exclude<AuthReason, 'replaced' | 'restored'> | 'storage_reset' | 'signed_out' | 'login_failed'

/** The identity in localStorage, which all tabs follow. */
export interface StoredIdentity {
  /** The id of the current epoch; `''` if nothing is stored. */
  epoch: string
  reason: EpochReason
  /** `null` while an anonymous visitor hasn't sent anything, and until a login is verified. */
  token: string | null
}

/**
 * Returns the key of an entry in localStorage.
 * - `identity`: epoch and token. They share one entry, so that no tab sees a token together with the epoch of another one.
 * - `workPending`: the epoch in which the core still has to erase the data of earlier epochs, or to send messages.
 * - `draft`: the text in the composer, with the epoch and the contact that it belongs to.
 */
export const storageKey = (botId: string, name: 'identity' | 'workPending' | 'draft'): string =>
  `natter:${botId}:${name}`

/** The identity where nothing is stored. */
export const noIdentity: StoredIdentity = { epoch: '', reason: 'storage_reset', token: null }

/** Parses `1796000000000.1k3x9qap0q8z login c:…`, or the same with spaces for the token. Anything else counts as no identity. */
export function parseIdentity(text: string | null | undefined): StoredIdentity {
  const [, epoch = '', reason = 'storage_reset', token = null] =
    /^(\d{1,16}\.\w+) (login|logout|revoked|expired|contact_deleted|storage_reset|signed_out|login_failed)(?: ([cv]:[\da-f]{64}))? *$/.exec(
      text ?? '',
    ) ?? []
  return { epoch, reason: reason as EpochReason, token }
}

/** A contact's or an anonymous visitor's token. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[cv]:[0-9a-f]{64}$/.test(value)

/** Contact tokens begin with `c`, tokens of anonymous visitors with `v`. Expects a well-formed token, see `isToken`. */
export const isContactToken = (token: string | null): boolean => token?.[0] === 'c'

/** Every entry is padded to the longest length, so that a token still fits after the page has filled the storage. */
const entryLength = 122

export const stringifyIdentity = (epoch: string, reason: EpochReason, token: string | null = null): string =>
  `${epoch} ${reason} ${token || ''}`.padEnd(entryLength)

/**
 * Stores the beginning of an epoch, without a token, and removes the draft of the epoch before. Also sets
 * `workPending`, so that the next page load erases the data of earlier epochs if this page is left. Returns whether the browser
 * has stored the epoch. If it has not, the former token is removed nevertheless.
 */
export function storeEpoch(open: OpenStorage, botId: string, epoch: string, reason: EpochReason): boolean {
  const identityKey = storageKey(botId, 'identity')
  const entry = stringifyIdentity(epoch, reason)
  let isStored = writeEntry(open, identityKey, entry)
  if (!isStored) {
    // The former entry may hold a token, so it must not stay. Without it, there may be room for the new one.
    removeEntry(open, identityKey)
    isStored = writeEntry(open, identityKey, entry)
  }
  removeEntry(open, storageKey(botId, 'draft'))
  writeEntry(open, storageKey(botId, 'workPending'), epoch)
  return isStored
}

// An epoch is the time between two changes of identity. All tabs of the origin share it. Its id is `<number>.<nonce>`, such as
// `1796000000000.1k3x9qap0q8z`, or `''` if none has begun. Epochs are the same only if their ids are.

/**
 * Creates the id of an epoch that is later than `seen`, and begins at `begunAt`, in milliseconds since 1970. Even where the clock
 * was set back, it is later than one in which another tab lets the visitor of `seen` go on.
 */
export const nextEpoch = (seen: string, begunAt: number, nonce: string): string =>
  // Some pages replace `Date.now` by a clock with fractions.
  `${Math.max(numberOf(seen) + 2, Math.floor(begunAt))}.${nonce}`

/** Creates the id of an epoch that is later than `seen`, and in which the visitor of `epoch` goes on. */
export const continuedEpoch = (seen: string, epoch: string): string => `${numberOf(seen) + 1}.${nonceOf(epoch)}`

/** Whether the anonymous visitor of one of these epochs goes on in the other, and nobody has logged in or out in between. */
export const isContinued = (epoch: string, other: string): boolean => nonceOf(epoch) === nonceOf(other)

/** The time when the epoch began, in milliseconds since 1970, or a later one: clocks can be set back. 0 for `''`. */
export const numberOf = (epoch: string): number => Number(epoch.split('.')[0])

/** Distinguishes epochs with the same number. An epoch in which an anonymous visitor goes on has the nonce of the one before. */
const nonceOf = (epoch: string): string => epoch.split('.')[1] ?? ''

/** Creates the nonce of a visitor's first epoch. `random` consists of word characters. */
export const createNonce = (reason: EpochReason, random: string = randomPart()): string =>
  // A login comes before all else that begins at the same moment, so a logout wins.
  `${reason === 'login' ? 0 : 1}${random}`

/** Some pages replace `Math.random` with a function that returns the same numbers in every tab, so it isn't used here. */
const randomPart = () => crypto.getRandomValues(new Uint32Array(2)).join('_')

/** Whether `epoch` began before `other`. Those that began at the same moment have an order, too, which all tabs agree on. */
export function isBefore(epoch: string, other: string): boolean {
  const difference = numberOf(epoch) - numberOf(other)
  return difference ? difference < 0 : nonceOf(epoch) < nonceOf(other)
}
