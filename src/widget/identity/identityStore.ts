import { stringify } from '../api/stringify.ts'
import type { Clock } from '../environment/clock.ts'
import { readEntry, removeEntry, writeEntry } from '../store/entries.ts'
import { isStoredDraft, type StoredDraft } from '../store/guards.ts'
import type { TabEntries } from '../store/tabEntries.ts'
import {
  continuedEpoch,
  createNonce,
  type EpochReason,
  isBefore,
  nextEpoch,
  parseIdentity,
  type StoredIdentity,
  storageKey,
  storeEpoch,
  stringifyIdentity,
} from './storedIdentity.ts'

export type IdentityStore = ReturnType<typeof createIdentityStore>

interface IdentityStoreDeps {
  botId: string
  clock: Pick<Clock, 'now'>
  /** Returns random UUIDs. */
  createId(): string
  entries: TabEntries
  /** The `storage` event is not fired in the window that writes. */
  notifySameWindow(): void
}

/** Stores the session's token and epoch for all tabs of the origin. */
export function createIdentityStore({ botId, clock, createId, entries, notifySameWindow }: IdentityStoreDeps) {
  const { open, get, keep, remove, isBlocked } = entries
  /** The latest epoch that this tab has seen. Storage may have been emptied, or hold an older one. */
  let latest = ''
  const identityEntry = storageKey(botId, 'identity')
  const draftEntry = storageKey(botId, 'draft')
  const workEntry = storageKey(botId, 'workPending')

  function read(): StoredIdentity {
    const stored = parseIdentity(get(identityEntry))
    see(stored.epoch)
    return stored
  }

  function see(epoch: string) {
    if (isBefore(latest, epoch)) latest = epoch
  }

  /** Returns the latest epoch that this tab has seen, or `after` if that is later. */
  function readLatest(after = ''): string {
    read()
    see(after)
    return latest
  }

  /**
   * Creates an id for the next epoch, later than every one that this tab has seen, and than `after`, one in IndexedDB. It begins
   * now, or at `begunAt`, in milliseconds since 1970.
   */
  const newEpoch = (reason: EpochReason, after?: string, begunAt = clock.now()): string =>
    nextEpoch(readLatest(after), begunAt, createNonce(reason, createId().slice(-12)))

  function parseDraft(): unknown {
    try {
      return JSON.parse(get(draftEntry) ?? 'null')
    } catch {
      return undefined
    }
  }

  return {
    /** Whether the browser has refused to store the identity. It is then kept in memory and doesn't survive a reload. */
    isBlocked,
    read,
    newEpoch,
    /**
     * Creates an id for the next epoch, in which the visitor of `epoch` goes on. It is later than every one that this tab has
     * seen, and than `after`. But what another tab has begun meanwhile, and this one doesn't see yet, counts as later.
     */
    continueEpoch: (epoch: string, after?: string): string => continuedEpoch(readLatest(after), epoch),
    /** Whether this tab has seen the epoch in localStorage, or a later one. */
    hasSeen: (epoch: string): boolean => !isBefore(latest, epoch),
    /**
     * Begins the next epoch, without a token, and returns it. Tabs that are still in an earlier one can't store anything any
     * more. Also sets `workPending`, so that the next page load erases the data of earlier epochs if this page is left.
     */
    beginEpoch(reason: EpochReason, epoch = newEpoch(reason)): StoredIdentity {
      const isStored = storeEpoch(open, botId, epoch, reason)
      keep(identityEntry, stringifyIdentity(epoch, reason), isStored)
      // Also from memory.
      remove(draftEntry)
      notifySameWindow()
      return read()
    },
    /** Stores the token of an epoch unless another epoch has begun. Returns whether the token is stored. */
    writeToken(epoch: string, token: string): boolean {
      const stored = read()
      if (stored.epoch !== epoch) return false
      // Another tab may have stored it. Writing it again could undo a later logout that this tab doesn't see yet.
      if (stored.token === token) return true
      entries.set(identityEntry, stringifyIdentity(epoch, stored.reason, token))
      // The next page load restores this session, and erases data of anybody else.
      removeEntry(open, workEntry)
      notifySameWindow()
      return true
    },
    /** Sets `workPending`, because messages have not been sent when the page is left. */
    setWorkPending(): void {
      const { epoch } = read()
      // An epoch in memory ends with the page.
      if (epoch && !isBlocked()) writeEntry(open, workEntry, epoch)
    },
    /** Removes `workPending`, because the data of earlier epochs is erased. Keeps that of a later epoch. */
    clearWorkPending(epoch: string): void {
      if (readEntry(open, workEntry) === epoch) removeEntry(open, workEntry)
    },
    /** Returns the draft of the current epoch, or an empty one. Removes a draft of another epoch and returns none (`''`) then. */
    readDraft(): StoredDraft {
      const { epoch } = read()
      const draft = parseDraft()
      if (draft === null) return { epoch, owner: '', text: '' }
      if (isStoredDraft(draft) && draft.epoch === epoch) return draft
      remove(draftEntry)
      return { epoch: '', owner: '', text: '' }
    },
    /**
     * Stores the draft, or removes it if it is empty. Does nothing if another epoch has begun, or while a login is under way,
     * because the contact isn't known yet. Returns whether it is done.
     */
    writeDraft(epoch: string, draft: Omit<StoredDraft, 'epoch'>): boolean {
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
