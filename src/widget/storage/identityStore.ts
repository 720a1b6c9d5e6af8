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

/** The session's token and epoch, shared by all tabs of the origin. Everything but `update` is synchronous. */
export interface IdentityStore {
  read(): StoredIdentity
  /**
   * Begins the next epoch, which has no token yet, and returns it: whatever began under an earlier one no longer counts. A
   * reminder to erase what else is stored is left for the next page load, should this page be left at once.
   */
  beginEpoch(reason: EpochReason, epoch?: string): string
  /**
   * An id for the next epoch: of the series that is stored, or of the last one that was; after all that this tab has known,
   * and after `known`, which IndexedDB has.
   */
  newEpoch(known?: string): string
  /** Stores the token of an epoch unless another one has begun. Returns whether it is stored. */
  writeToken(epoch: string, token: string): boolean
  /**
   * Whether the site may be asked who is signed in: not after the visitor or the organization has ended the session on
   * purpose, until the page logs in or calls `allowSignIn`. All tabs know it, and the next page load.
   */
  isSignInAllowed(): boolean
  allowSignIn(): void
  /** What other epochs have left is erased: removes the reminder unless a later epoch has left one. */
  confirmErased(epoch: string): void
  /**
   * Keeps a draft that the page leaves with, before IndexedDB has it: nothing that is asynchronous is certain to be done
   * by then. The next epoch removes it, in whichever tab it begins; but what has been kept of no epoch, `''`, goes on in the
   * first one. Returns whether it is kept: nothing is while a login is under way, of which nobody knows whose it will be.
   */
  keepUnsavedDraft(epoch: string, draft: DraftVersion): boolean
  /** Returns what has been kept, and removes it; nothing where that was in another epoch. */
  takeUnsavedDraft(epoch: string): DraftVersion | undefined
  /** Keeps records beside the token, where neither is to be shared with other tabs. */
  update: UpdateRecords
  /** Nothing survives a reload: the browser has refused to store, and memory takes the place. */
  isBlocked(): boolean
}

const endedOnPurpose: readonly EpochReason[] = ['logout', 'revoked', 'contact_deleted']

/** `open` is called on each use: the getter itself throws where storage is blocked. `createId` makes random UUIDs. */
export function createIdentityStore(
  botId: string,
  createId: () => string,
  open: () => Storage,
  notifySameWindow: () => void,
): IdentityStore {
  /** What storage has no room for. */
  const memory = new Map<string, string>()
  /** The entry in storage when `memory` was written: once another is stored, what is in memory belongs to nobody. */
  let memoryBase: string | null = null
  /** The highest counter and the last series that this tab has known: storage may be emptied, or hold a late write. */
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

  /** Returns whether the browser has stored it. */
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
      // Where nothing can be removed, nothing was stored.
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
        // The one before must not stay where the new one has no room: it may hold a token.
        removeEntry(identityEntry)
        set(identityEntry, entry)
      }
      if (reason !== 'storage_empty') removeEntry(draftEntry)
      writeEntry(reminderEntry, epoch)
      notifySameWindow()
      return read().epoch
    },
    writeToken(epoch, token) {
      const stored = read()
      if (stored.epoch !== epoch) return false
      // Another tab may have stored it: writing it once more could undo what comes after.
      if (stored.token === token) return true
      set(identityEntry, stringifyIdentity(epoch, stored.reason, token))
      // The next page load finds the token, and erases what isn't of its owner.
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
      // In storage alone: memory goes with the page.
      return stored.epoch === epoch && !isUndecided && writeEntry(draftEntry, stringify({ ...draft, epoch }))
    },
    takeUnsavedDraft(epoch) {
      const text = readEntry(draftEntry)
      if (!text) return undefined
      removeEntry(draftEntry)
      try {
        const { epoch: keptIn, ...draft } = parseDraftRecord(JSON.parse(text)) ?? { ...emptyDraft, epoch: 'none' }
        const goesOn = !keptIn && read().reason === 'storage_empty'
        return goesOn || keptIn === epoch ? draft : undefined
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
