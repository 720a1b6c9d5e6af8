import { stringify } from '../api/stringify.ts'
import type { Clock } from '../environment/clock.ts'
import { readEntry, removeEntry, writeEntry } from '../store/entries.ts'
import { isStoredDraft, type StoredDraft } from '../store/guards.ts'
import type { TabEntries } from '../store/tabEntries.ts'
import {
  createNonce,
  type EpochReason,
  isBefore,
  nextEpoch,
  nonceOf,
  parseIdentity,
  type StoredIdentity,
  storageKey,
  storeEpoch,
  stringifyIdentity,
} from './storedIdentity.ts'

interface NewEpoch {
  after?: string | undefined
  /** The epoch whose visitor goes on. What another tab has begun meanwhile, and this one doesn't see yet, counts as later. */
  continues?: string | undefined
  /** In milliseconds since 1970. By default it is now, unless a visitor goes on. */
  begunAt?: number
}

/** Stores the session's token and epoch for all tabs of the origin. */
export interface IdentityStore {
  read(): StoredIdentity
  /**
   * Begins the next epoch, without a token, and returns it. Tabs that are still in an earlier one can't store anything any
   * more. Also stores a reminder to erase the data of earlier epochs: the next page load does it if this page is left.
   */
  beginEpoch(reason: EpochReason, epoch?: string): StoredIdentity
  /**
   * Creates an id for the next epoch, later than every one that this tab has seen, and than `after`, one in IndexedDB.
   */
  newEpoch(reason: EpochReason, how?: NewEpoch): string
  /** Whether this tab has seen the epoch in localStorage, or a later one. */
  hasSeen(epoch: string): boolean
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
  /** Whether the browser has refused to store the identity. It is then kept in memory and doesn't survive a reload. */
  isBlocked(): boolean
}

export interface IdentityStoreDeps {
  botId: string
  clock: Pick<Clock, 'now'>
  /** Returns random UUIDs. */
  createId(): string
  entries: TabEntries
  /** The `storage` event is not fired in the window that writes. */
  notifySameWindow(): void
}

export function createIdentityStore({
  botId,
  clock,
  createId,
  entries,
  notifySameWindow,
}: IdentityStoreDeps): IdentityStore {
  const { open, get, keep, remove, isBlocked } = entries
  /** The latest epoch that this tab has seen. Storage may have been emptied, or hold an older one. */
  let latest = ''
  const identityEntry = storageKey(botId, 'identity')
  const draftEntry = storageKey(botId, 'draft')
  const reminderEntry = storageKey(botId, 'workPending')

  function read(): StoredIdentity {
    const stored = parseIdentity(get(identityEntry))
    see(stored.epoch)
    return stored
  }

  function see(epoch: string) {
    if (isBefore(latest, epoch)) latest = epoch
  }

  const newEpoch: IdentityStore['newEpoch'] = (
    reason,
    { after = '', continues = '', begunAt = continues ? 0 : clock.now() } = {},
  ) => {
    read()
    see(after)
    return nextEpoch(latest, begunAt, nonceOf(continues) || createNonce(reason, createId().slice(-12)))
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
    hasSeen: epoch => !isBefore(latest, epoch),
    beginEpoch(reason, epoch = newEpoch(reason)) {
      const isStored = storeEpoch(open, botId, epoch, reason)
      keep(identityEntry, stringifyIdentity(epoch, reason), isStored)
      remove(draftEntry)
      notifySameWindow()
      return read()
    },
    writeToken(epoch, token) {
      const stored = read()
      if (stored.epoch !== epoch) return false
      // Another tab may have stored it. Writing it again could undo a later logout that this tab doesn't see yet.
      if (stored.token === token) return true
      entries.set(identityEntry, stringifyIdentity(epoch, stored.reason, token))
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
      else keep(draftEntry, entry, !isBlocked() && writeEntry(open, draftEntry, entry))
      return true
    },
  }
}
