import { stringify } from '../api/stringify.ts'
import type { UpdateRecords } from '../store/database.ts'
import { type OpenStorage, readEntry, removeEntry, writeEntry } from '../store/entries.ts'
import { isStoredDraft, type StoredDraft } from '../store/guards.ts'
import {
  type EpochReason,
  nextEpoch,
  parseEpoch,
  parseIdentity,
  type StoredIdentity,
  storageKey,
  storeEpoch,
  stringifyIdentity,
} from './storedIdentity.ts'

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
  /** Stores the same reminder, because messages have not been sent when the page is left. */
  remindOfUnsent(): void
  /** Removes the reminder, because the data of earlier epochs is erased. Keeps the reminder of a later epoch. */
  confirmErased(epoch: string): void
  /** Returns the draft of the current epoch, or an empty one. Removes a draft of another epoch and returns none (`''`) then. */
  readDraft(): StoredDraft
  /**
   * Stores the draft, or removes it if it is empty. Does nothing if another epoch has begun, or while a login is under way,
   * because the contact isn't known yet. Returns whether it is done.
   */
  writeDraft(epoch: string, draft: Omit<StoredDraft, 'epoch'>): boolean
  /** Stores records in the same storage as the token. Used when `persist` keeps the visitor's data from other tabs. */
  update: UpdateRecords
  /** Whether the browser has refused to store the identity. It is then kept in memory and doesn't survive a reload. */
  isBlocked(): boolean
}

/** `open` returns the storage and throws if the browser blocks it. `createId` returns random UUIDs. */
export function createIdentityStore(
  botId: string,
  createId: () => string,
  open: OpenStorage,
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
  const draftEntry = storageKey(botId, 'draft')
  const reminderEntry = storageKey(botId, 'workPending')

  function get(key: string): string | null {
    if (readEntry(open, identityEntry) !== memoryBase) memory.clear()
    return memory.get(key) ?? readEntry(open, key)
  }

  /** Keeps the value in memory unless the browser has stored it. */
  function keepInMemory(key: string, value: string, isStored: boolean) {
    if (isStored) memory.delete(key)
    else memory.set(key, value)
    memoryBase = readEntry(open, identityEntry)
  }

  const set = (key: string, value: string) => keepInMemory(key, value, writeEntry(open, key, value))

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

  function remove(key: string) {
    memory.delete(key)
    removeEntry(open, key)
  }

  function parseDraft(): unknown {
    try {
      return JSON.parse(get(draftEntry) ?? 'null')
    } catch {
      return undefined
    }
  }

  return {
    isBlocked,
    read,
    newEpoch,
    beginEpoch(reason, epoch = newEpoch()) {
      const isStored = storeEpoch(open, botId, epoch, reason)
      keepInMemory(identityEntry, stringifyIdentity(epoch, reason), isStored)
      memory.delete(draftEntry)
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
      removeEntry(open, reminderEntry)
      notifySameWindow()
      return true
    },
    remindOfUnsent() {
      const { epoch } = read()
      // An epoch in memory ends with the page.
      if (epoch && !isBlocked()) writeEntry(open, reminderEntry, epoch)
    },
    confirmErased(epoch) {
      if (readEntry(open, reminderEntry) === epoch) removeEntry(open, reminderEntry)
    },
    readDraft() {
      const { epoch } = read()
      const draft = parseDraft()
      if (draft === null) return { epoch, owner: '', text: '' }
      if (isStoredDraft(draft) && draft.epoch === epoch) return draft
      remove(draftEntry)
      return { epoch: '', owner: '', text: '' }
    },
    writeDraft(epoch, draft) {
      const stored = read()
      const isUndecided = stored.reason === 'login' && !stored.token
      if (!epoch || stored.epoch !== epoch || isUndecided) return false
      const entry = stringify({ epoch, ...draft })
      if (!draft.text) remove(draftEntry)
      // An epoch in memory ends with the page, and so does its draft.
      else keepInMemory(draftEntry, entry, !isBlocked() && writeEntry(open, draftEntry, entry))
      return true
    },
    async update(keys, change) {
      const entryOf = (key: string) => `natter:${botId}:${key}`
      const records = Object.fromEntries(keys.map(key => [key, JSON.parse(get(entryOf(key)) ?? 'null')]))
      const changes = Object.entries(change(records, []))
      if (changes.some(([, record]) => record instanceof Blob))
        throw new TypeError('A file can only be kept in IndexedDB')
      for (const [key, record] of changes) {
        if (record !== undefined) set(entryOf(key), stringify(record))
        else remove(entryOf(key))
      }
    },
  }
}
