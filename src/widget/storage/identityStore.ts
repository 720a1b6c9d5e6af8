import type { UpdateRecords } from './database.ts'
import { nextEpoch, parseEpoch } from './epoch.ts'
import { type DraftVersion, emptyDraft, parseDraftRecord } from './guards.ts'
import {
  type EpochReason,
  parseIdentity,
  type StoredIdentity,
  storageKey,
  stringifyIdentity,
} from './storedIdentity.ts'
import { stringify } from './stringify.ts'

/** Stores the session's token and epoch for all tabs of the origin. Everything except `update` is synchronous. */
export interface IdentityStore {
  read(): StoredIdentity
  /**
   * Begins the next epoch, without a token, and returns its id. Tabs that are still in an earlier one can't store anything
   * any more. Also stores a reminder to erase the data of earlier epochs: the next page load does it if this page is left.
   */
  beginEpoch(reason: EpochReason, epoch?: string): string
  /**
   * Creates an id for the next epoch, in the stored series, or in the last known one if storage was emptied. The counter is
   * higher than that of every epoch this tab has seen, and than that of `known`, an epoch in IndexedDB.
   */
  newEpoch(known?: string): string
  /** Stores the token of an epoch unless another epoch has begun. Returns whether the token is stored. */
  writeToken(epoch: string, token: string): boolean
  /**
   * Whether the widget may ask the site who is signed in. False after the visitor or the organization has ended the session
   * on purpose, until a login or `allowSignIn()`. The answer is stored, so it holds in all tabs and after a page load.
   */
  isSignInAllowed(): boolean
  allowSignIn(): void
  /** Removes the reminder, because the data of earlier epochs is erased. Keeps the reminder of a later epoch. */
  confirmErased(epoch: string): void
  /**
   * Stores the draft synchronously while the page is being left, because an IndexedDB transaction might not complete. The
   * next epoch removes it, in whichever tab that epoch begins. A draft without an epoch (`''`) continues in the first epoch.
   * Returns whether the draft is stored. It never is during a login, because the contact isn't known yet.
   */
  keepUnsavedDraft(epoch: string, draft: DraftVersion): boolean
  /** Removes the draft that `keepUnsavedDraft` has stored. Returns it unless it belongs to another epoch. */
  takeUnsavedDraft(epoch: string): DraftVersion | undefined
  /** Stores records in the same storage as the token. Used when `persist` keeps the visitor's data from other tabs. */
  update: UpdateRecords
  /** Whether the browser has refused to store the identity. It is then kept in memory and doesn't survive a reload. */
  isBlocked(): boolean
}

const endedOnPurpose: readonly EpochReason[] = ['logout', 'revoked', 'contact_deleted']

/** `open` returns the storage and throws if the browser blocks it. `createId` returns random UUIDs. */
export function createIdentityStore(
  botId: string,
  createId: () => string,
  open: () => Storage,
  notifySameWindow: () => void,
): IdentityStore {
  /** Entries that the browser has refused to store. */
  const memory = new Map<string, string>()
  /** The stored identity when `memory` was written. When it changes, `memory` may be another person's and is cleared. */
  let memoryBase: string | null = null
  // The highest counter and the last series that this tab has seen. Storage may have been emptied, or hold an older epoch.
  let highestCounter = 0
  let lastSeries = ''
  const identityEntry = storageKey(botId, 'identity')
  const draftEntry = storageKey(botId, 'unsavedDraft')
  const reminderEntry = storageKey(botId, 'erasePending')

  function readEntry(key: string): string | null {
    try {
      return open().getItem(key)
    } catch {
      return null
    }
  }

  /** Returns whether the browser has stored the value. */
  function writeEntry(key: string, value: string): boolean {
    try {
      open().setItem(key, value)
      // Read back, because some consent tools replace `setItem` by a function that does nothing.
      return open().getItem(key) === value
    } catch {
      return false
    }
  }

  function removeEntry(key: string) {
    try {
      open().removeItem(key)
    } catch {
      // Storage is blocked, so it holds no entry.
    }
  }

  function get(key: string): string | null {
    if (readEntry(identityEntry) !== memoryBase) memory.clear()
    return memory.get(key) ?? readEntry(key)
  }

  function set(key: string, value: string) {
    memory.delete(key)
    if (!writeEntry(key, value)) memory.set(key, value)
    memoryBase = readEntry(identityEntry)
  }

  function read(): StoredIdentity {
    const stored = parseIdentity(get(identityEntry))
    const { counter, series } = parseEpoch(stored.epoch)
    highestCounter = Math.max(highestCounter, counter)
    lastSeries = series || lastSeries
    return stored
  }

  const isBlocked = () => memory.has(identityEntry)

  function newEpoch(known = ''): string {
    read()
    highestCounter = Math.max(highestCounter, parseEpoch(known).counter)
    return nextEpoch(`${highestCounter}.${lastSeries}`, () => createId().slice(-12))
  }

  return {
    isBlocked,
    read,
    newEpoch,
    beginEpoch(reason, epoch = newEpoch()) {
      const entry = stringifyIdentity(epoch, reason)
      set(identityEntry, entry)
      if (isBlocked()) {
        // There is no room for the new entry. The former one may hold a token, so it must not stay.
        removeEntry(identityEntry)
        set(identityEntry, entry)
      }
      if (reason !== 'storage_reset') removeEntry(draftEntry)
      writeEntry(reminderEntry, epoch)
      notifySameWindow()
      return read().epoch
    },
    writeToken(epoch, token) {
      const stored = read()
      if (stored.epoch !== epoch) return false
      // Another tab may have stored it. Writing it again could undo a later logout that this tab doesn't see yet.
      if (stored.token === token) return true
      set(identityEntry, stringifyIdentity(epoch, stored.reason, token))
      // The next page load restores this session, and erases data of anybody else.
      removeEntry(reminderEntry)
      notifySameWindow()
      return true
    },
    isSignInAllowed: () => !endedOnPurpose.includes(read().reason),
    allowSignIn() {
      const { epoch, reason, token } = read()
      if (endedOnPurpose.includes(reason)) set(identityEntry, stringifyIdentity(epoch, 'signed_out', token))
    },
    confirmErased(epoch) {
      if (readEntry(reminderEntry) === epoch) removeEntry(reminderEntry)
    },
    keepUnsavedDraft(epoch, draft) {
      const stored = read()
      const isUndecided = stored.reason === 'login' && !stored.token
      // Memory doesn't survive the page, so only storage counts.
      return stored.epoch === epoch && !isUndecided && writeEntry(draftEntry, stringify({ ...draft, epoch }))
    },
    takeUnsavedDraft(epoch) {
      const text = readEntry(draftEntry)
      if (!text) return undefined
      removeEntry(draftEntry)
      try {
        const { epoch: keptIn, ...draft } = parseDraftRecord(JSON.parse(text)) ?? { ...emptyDraft, epoch: 'none' }
        const continuesInFirstEpoch = !keptIn && read().reason === 'storage_reset'
        return continuesInFirstEpoch || keptIn === epoch ? draft : undefined
      } catch {
        return undefined
      }
    },
    async update(keys, change) {
      const entryOf = (key: string) => `natter:${botId}:${key}`
      const records = Object.fromEntries(keys.map(key => [key, JSON.parse(get(entryOf(key)) ?? 'null')]))
      for (const [key, record] of Object.entries(change(records))) set(entryOf(key), stringify(record))
    },
  }
}
