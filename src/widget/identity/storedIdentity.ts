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

/** Parses `17.k3x9qa.p0q8zz login c:…`, or the same with spaces instead of the token. Anything else counts as no identity. */
export function parseIdentity(text: string | null | undefined): StoredIdentity {
  const [, epoch = '', reason = 'storage_reset', token = null] =
    /^(\d{1,15}\.\w+\.\w+) (login|logout|revoked|expired|contact_deleted|storage_reset|signed_out|login_failed)(?: ([cv]:[\da-f]{64}))? *$/.exec(
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
const entryLength = 142

export const stringifyIdentity = (epoch: string, reason: EpochReason, token: string | null = null): string =>
  `${epoch} ${reason} ${token || ''}`.padEnd(entryLength)

/**
 * Stores the beginning of an epoch, without a token, and removes the draft of the epoch before. Also stores a reminder to
 * erase the data of earlier epochs: the next page load does it if this page is left. Returns whether the browser has stored
 * the epoch. If it has not, the former token is removed nevertheless.
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

// An epoch is the time between two changes of identity. All tabs of the origin share it. Its id is
// `<counter>.<series>.<random>`, such as `17.k3x9qa.p0q8zz`, or `''` if none has begun. Always compare whole ids: two tabs
// that begin an epoch at the same moment get the same counter and different ids.

/** The parts of an epoch's id that order it. */
interface Epoch {
  /** The number of epochs that have begun in this series. It replaces a time, because a clock can be set back. */
  counter: number
  /** Changes when storage was emptied. The counter then starts again, so epochs of different series have no order. */
  series: string
}

export function parseEpoch(id: string): Epoch {
  const [counter, series = ''] = id.split('.')
  return { counter: Number(counter), series }
}

/** Whether `epoch` began before `other`. False if their order is unknown: another series, or begun at the same moment. */
export function isBefore(epoch: string, other: string): boolean {
  const [one, two] = [parseEpoch(epoch), parseEpoch(other)]
  return one.series === two.series && one.counter < two.counter
}

/** Creates the id of the epoch after `current`. */
export function nextEpoch(current: string, random = randomPart): string {
  const { counter, series } = parseEpoch(current)
  return `${counter + 1}.${series || random()}.${random()}`
}

/** Some pages replace `Math.random` with a function that returns the same numbers in every tab, so it isn't used here. */
const randomPart = () => crypto.getRandomValues(new Uint32Array(2)).join('_')
