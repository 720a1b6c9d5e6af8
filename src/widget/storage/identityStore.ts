import type { UpdateRecords } from './database.ts'
import { type EpochReason, nextEpoch, parseEpoch } from './epoch.ts'
import { type DraftVersion, emptyDraft, isToken, parseDraftRecord } from './guards.ts'
import { stringify } from './stringify.ts'

/** Whose browser this is, as localStorage says; what isn't a token counts as none. */
export interface StoredIdentity {
  /** `''` where none is stored. */
  epoch: string
  reason: EpochReason
  token: string | null
}

/** The session's token and epoch, shared by all tabs of the origin. Everything in it is synchronous. */
export interface IdentityStore {
  read(): StoredIdentity
  /**
   * Begins the next epoch, which has no token yet, and returns it: whatever began under an earlier one no longer counts. In
   * the token's place stands a reminder to erase what else is stored, for the next page load if this page is left at once.
   */
  beginEpoch(reason: EpochReason): string
  writeToken(token: string): void
  /** Removes the token, or the reminder in its place. */
  removeToken(): void
  /**
   * Keeps a draft that the page leaves with, before IndexedDB has it: nothing that is asynchronous is certain to be done
   * by then. The next epoch removes it, in whichever tab it begins. Returns whether it is kept.
   */
  keepUnsavedDraft(epoch: string, draft: DraftVersion): boolean
  /** Returns and removes what has been kept; nothing where that was in another epoch. */
  takeUnsavedDraft(epoch: string): DraftVersion | undefined
  /** Keeps records beside the token, where neither is to be shared with other tabs. */
  update: UpdateRecords
  /** Nothing survives a reload: the browser has refused to store, and memory takes the place. */
  isBlocked(): boolean
}

/** In the token's place: something else that is stored has still to be erased. */
const erasePending = '-'

/** `open` is called on each use: the getter itself throws where storage is blocked. `createId` makes random UUIDs. */
export function createIdentityStore(
  botId: string,
  createId: () => string,
  open: () => Storage,
  notifySameWindow: () => void,
): IdentityStore {
  /** What storage has no room for. */
  const memory = new Map<string, string>()
  /** The epoch in storage when `memory` was written: once another is stored, what is in memory belongs to nobody. */
  let memoryEpoch: string | null = null
  /** The highest epoch this tab has known, which the next is above: storage may have been emptied, or hold a late write. */
  let highestEpoch = ''
  const keyOf = (name: string) => `natter:${botId}:${name}`

  function stored(name: string): string | null {
    try {
      return open().getItem(keyOf(name))
    } catch {
      return null
    }
  }

  function get(name: string): string | null {
    if (stored('epoch') !== memoryEpoch) memory.clear()
    return memory.get(name) ?? stored(name)
  }

  function set(name: string, value: string) {
    memory.delete(name)
    try {
      open().setItem(keyOf(name), value)
    } catch {
      memory.set(name, value)
    }
    memoryEpoch = stored('epoch')
  }

  function read(): StoredIdentity {
    const token = get('token')
    const { id, counter, reason } = parseEpoch(get('epoch'))
    if (counter > parseEpoch(highestEpoch).counter) highestEpoch = id
    return { epoch: id, reason, token: isToken(token) ? token : null }
  }

  function remove(name: string) {
    try {
      open().removeItem(keyOf(name))
    } catch {
      // Where nothing can be removed, nothing was stored.
    }
  }

  return {
    isBlocked: () => memory.has('epoch') || memory.has('token'),
    read,
    writeToken(token) {
      set('token', token)
      notifySameWindow()
    },
    removeToken() {
      memory.delete('token')
      remove('token')
      memoryEpoch = stored('epoch')
      notifySameWindow()
    },
    keepUnsavedDraft(epoch, draft) {
      if (read().epoch !== epoch) return false
      try {
        // In storage alone: memory goes with the page.
        open().setItem(keyOf('unsavedDraft'), stringify({ ...draft, epoch }))
        return true
      } catch {
        return false
      }
    },
    takeUnsavedDraft(epoch) {
      const text = stored('unsavedDraft')
      if (!text) return undefined
      remove('unsavedDraft')
      try {
        const { epoch: keptIn, ...draft } = parseDraftRecord(JSON.parse(text)) ?? { ...emptyDraft, epoch: '' }
        return keptIn === epoch ? draft : undefined
      } catch {
        return undefined
      }
    },
    async update(keys, change) {
      const records = Object.fromEntries(keys.map(key => [key, JSON.parse(get(key) ?? 'null')]))
      for (const [key, record] of Object.entries(change(records))) set(key, stringify(record))
    },
    beginEpoch(reason) {
      // What is stored has a turn as well: of two series with the same counter it is the one that other tabs know.
      const { epoch } = read()
      const isHighest = parseEpoch(epoch).counter === parseEpoch(highestEpoch).counter
      const text = nextEpoch(isHighest ? epoch : highestEpoch, reason, () => createId().slice(-12))
      // One write for both: other tabs must never see a new epoch with an old reason. And before the token goes: they
      // then know whether it goes because another comes.
      set('epoch', text)
      set('token', erasePending)
      remove('unsavedDraft')
      notifySameWindow()
      return read().epoch
    },
  }
}
