import { createStore, promisifyRequest } from 'idb-keyval'
import type { Clock } from '../app/clock.ts'
import {
  type ConversationRecord,
  type DraftRecord,
  type DraftVersion,
  emptyDraft,
  parseConversationRecord,
  parseDraftRecord,
  type Stored,
} from './guards.ts'

type RecordName = 'stored' | 'draft'
export type Records = Partial<Record<RecordName, unknown>>

/** Reads the named records and writes those that `change` returns, in one transaction. */
export type Update = (names: readonly RecordName[], change: (records: Records) => Records) => Promise<void>

/**
 * Transcript, outbox and draft of one person. Every write belongs to an epoch and reads the stored epoch first, in its own
 * transaction: a tab that hasn't heard of a logout yet writes nothing. Where storage fails, nothing is kept.
 */
export interface Cache {
  /** Moves a contact's data into the epoch of the login that has begun: writers of the previous epoch lose. */
  transferEpoch(epoch: number, previous: number): Promise<void>
  /**
   * Resolves to what is stored for `owner`, and erases what is of another person or epoch. Where that fails, or a later
   * epoch has begun, it resolves to nothing, of epoch -1.
   */
  open(epoch: number, owner: string): Promise<Stored>
  /** Calls `use` with what is stored, inside the transaction: no message of another tab can come in between. */
  read(epoch: number, use: (stored: Stored) => void): Promise<void>
  /** Changes transcript and outbox, and with them the draft if that is to happen in the same transaction. */
  put(
    epoch: number,
    change: (stored: ConversationRecord) => Partial<ConversationRecord>,
    changeDraft?: (draft: DraftVersion) => DraftVersion,
  ): Promise<void>
  putDraft(epoch: number, change: (draft: DraftVersion) => DraftVersion): Promise<void>
}

// A database that never answers (which happens after a crash) must not keep a session from starting.
const timeoutMs = 2000

const emptyConversation = (epoch: number, owner = ''): ConversationRecord => ({
  epoch,
  owner,
  transcript: [],
  outbox: [],
})

const both = ['stored', 'draft'] as const

export function createCache(update: Update, clock: Clock): Cache {
  /** Writes what `change` returns unless a later epoch has begun. Resolves after the timeout in any case. */
  const attempt = (
    epoch: number,
    names: readonly RecordName[],
    change: (stored: ConversationRecord, draft: DraftRecord) => { stored?: ConversationRecord; draft?: DraftRecord },
  ) =>
    new Promise<void>(resolve => {
      const done = () => {
        cancelTimer()
        resolve()
      }
      const cancelTimer = clock.after(timeoutMs, done)
      update(names, records => {
        const stored = parseConversationRecord(records.stored) ?? emptyConversation(-1)
        const draft = parseDraftRecord(records.draft) ?? { ...emptyDraft, epoch: -1 }
        return Math.max(stored.epoch, draft.epoch) > epoch ? {} : change(stored, draft)
      }).then(done, done)
    })

  return {
    transferEpoch: (epoch, previous) =>
      attempt(epoch, both, (stored, draft) =>
        // What an anonymous visitor has said is nobody's after a login.
        stored.epoch === previous && stored.owner
          ? {
              stored: { ...stored, epoch },
              draft: { ...(draft.epoch === previous ? draft : emptyDraft), epoch },
            }
          : { stored: emptyConversation(epoch), draft: { ...emptyDraft, epoch } },
      ),
    async open(epoch, owner) {
      let found: Stored = { ...emptyConversation(-1), draft: emptyDraft }
      await attempt(epoch, both, (stored, draft) => {
        const isOwn = stored.epoch === epoch && stored.owner === owner
        const kept = isOwn ? stored : emptyConversation(epoch, owner)
        const keptDraft = isOwn && draft.epoch === epoch ? draft : { ...emptyDraft, epoch }
        found = { ...kept, draft: toVersion(keptDraft) }
        return { stored: kept, draft: keptDraft }
      })
      return found
    },
    read: (epoch, use) =>
      attempt(epoch, both, (stored, draft) => {
        const version = draft.epoch === epoch ? toVersion(draft) : emptyDraft
        if (stored.epoch === epoch) use({ ...stored, draft: version })
        return {}
      }),
    put: (epoch, change, changeDraft) =>
      attempt(epoch, changeDraft ? both : ['stored'], (stored, draft) =>
        stored.epoch === epoch
          ? {
              stored: { ...stored, ...change(stored) },
              ...(changeDraft && { draft: { ...changeDraft(toVersion(draft)), epoch } }),
            }
          : {},
      ),
    putDraft: (epoch, change) =>
      attempt(epoch, ['draft'], (_, draft) =>
        draft.epoch === epoch ? { draft: { ...change(toVersion(draft)), epoch } } : {},
      ),
  }
}

const toVersion = ({ epoch: _, ...version }: DraftRecord): DraftVersion => version

/** The records in IndexedDB. The connection opens on first use and closes with `abortSignal`. */
export function createIndexedDbUpdate(name: string, abortSignal: AbortSignal): Update {
  let store = createStore(name, 'records')
  let opened: Promise<void> | undefined
  abortSignal.addEventListener('abort', () => {
    if (opened) store('readonly', ({ transaction }) => transaction.db.close()).catch(() => {})
  })
  /** The page deletes the database, and waits for all connections to it. */
  function release({ target }: Event) {
    ;(target as IDBDatabase).close()
    opened = undefined
    store = createStore(name, 'records')
  }
  // Async, because the getter of `indexedDB` itself throws where storage is blocked.
  return async (names, change) => {
    // A connection opened now would never be closed.
    if (abortSignal.aborted) return
    // The promise of the connection keeps alive what it was opened for, which must be nothing of a visitor's.
    opened ??= store('readonly', () => {}).catch(() => {})
    await store('readwrite', async records => {
      records.transaction.db.onversionchange = release
      const found = await Promise.all(
        names.map(async each => [each, await promisifyRequest(records.get(each))] as const),
      )
      const changed = change(Object.fromEntries(found))
      for (const [each, record] of Object.entries(changed)) records.put(record, each)
      await promisifyRequest(records.transaction)
    })
  }
}
