import type { Clock } from '../environment/clock.ts'
import { anonymousSessionKey, findRecentFirstEpoch } from './anonymousSession.ts'
import { type Records, type UpdateRecords, updateInTime } from './database.ts'
import { isOvertaken } from './epoch.ts'
import {
  type CachedSession,
  type ConversationRecord,
  type DraftRecord,
  type DraftVersion,
  emptyDraft,
  type OutboxEntry,
  parseConversationRecord,
  parseDraftRecord,
} from './guards.ts'

/**
 * Stores the transcript, outbox with its files, and draft of one person. Every write belongs to an epoch and compares it with the stored one
 * in the same transaction, so that a tab that hasn't heard of a logout yet writes nothing. If storage fails, nothing is kept.
 */
export interface Cache {
  /** Moves a contact's data into the epoch of a login that has begun. Tabs in the previous epoch can't write any more. */
  transferEpoch(epoch: string, previous: string): Promise<unknown>
  /**
   * Resolves to the data of `owner`, and erases data of another person or epoch.
   * - If another epoch has begun, it erases nothing and resolves to empty data with that epoch.
   * - If storage fails, it resolves to empty data with the epoch `''`. The next write of this epoch then also stores the owner.
   *
   * `isFirstEpoch` means that localStorage held no epoch before this one. Then it also looks for another first epoch that
   * IndexedDB has and localStorage doesn't show yet: a tab that IndexedDB didn't answer begins an epoch without its consent.
   */
  open(epoch: string, owner: string, isFirstEpoch?: boolean): Promise<CachedSession>
  /** Calls `use` with the stored data inside the transaction, so that no message of another tab can come in between. */
  read(epoch: string, use: (stored: CachedSession) => void): Promise<unknown>
  /**
   * Changes transcript and outbox. `changeDraft` changes the draft in the same transaction, and `files` are added, by their
   * ids. Resolves to whether the changes are stored: they are not if another epoch is stored, if storage fails, or if it
   * doesn't answer in time. Whatever changes the outbox erases the files of messages that are no longer in it.
   */
  put(
    epoch: string,
    change: (stored: ConversationRecord) => Partial<ConversationRecord>,
    changeDraft?: (draft: DraftVersion) => DraftVersion,
    files?: ReadonlyMap<string, Blob>,
  ): Promise<boolean>
  /** Resolves to a file of a message in the outbox, or to `undefined` if it isn't stored. */
  readFile(epoch: string, id: string): Promise<Blob | undefined>
  /** Resolves to whether the draft is stored, like `put`. */
  putDraft(epoch: string, change: (draft: DraftVersion) => DraftVersion): Promise<boolean>
}

const emptyConversation = (epoch: string, owner = ''): ConversationRecord => ({
  epoch,
  owner,
  transcript: [],
  revision: 0,
  outbox: [],
  ratings: [],
})

const both = ['stored', 'draft'] as const

const fileKey = (id: string) => `file:${id}`

type Changes = { stored?: ConversationRecord; draft?: DraftRecord } & Records
type Change = (stored: ConversationRecord, draft: DraftRecord, records: Records) => Changes

/** Deletes the files that no message of the outbox has. */
function withoutUnusedFiles(changes: Changes, allKeys: readonly string[]): Changes {
  if (!changes.stored) return changes
  const used = changes.stored.outbox.flatMap(({ files = [] }: OutboxEntry) => files.map(({ id }) => fileKey(id)))
  const unused = allKeys.filter(key => key.startsWith(fileKey('')) && !used.includes(key))
  return { ...changes, ...Object.fromEntries(unused.map(key => [key, undefined])) }
}

/** The data of `owner` in an epoch: what is stored, or nothing yet if that is another person's or of another epoch. */
function dataOf(owner: string, epoch: string, stored: ConversationRecord, draft: DraftRecord) {
  const isOwn = stored.epoch === epoch && stored.owner === owner
  return {
    stored: isOwn ? stored : emptyConversation(epoch, owner),
    draft: isOwn && draft.epoch === epoch ? draft : { ...emptyDraft, epoch },
  }
}

/** `isCurrent` returns whether localStorage shows this epoch. */
export function createCache(update: UpdateRecords, clock: Clock, isCurrent: (epoch: string) => boolean): Cache {
  /** What `open` could not store, because storage failed. Without the owner, the next page load would erase later writes. */
  let unopened: { epoch: string; owner: string } | undefined

  /** Writes what `change` returns, unless another epoch has begun. Resolves to whether the database has answered. */
  const attempt = (
    epoch: string,
    keys: readonly string[],
    change: Change,
    onOvertaken: (epoch: string) => void = () => {},
  ) =>
    updateInTime(update, clock, keys, (records, allKeys) => {
      const stored = parseConversationRecord(records['stored']) ?? emptyConversation('')
      const draft = parseDraftRecord(records['draft']) ?? { ...emptyDraft, epoch: '' }
      const next =
        findRecentFirstEpoch(epoch, records[anonymousSessionKey], clock.now()) ||
        [stored.epoch, draft.epoch].find(other => isOvertaken(epoch, other, isCurrent))
      if (!next) return withoutUnusedFiles(change(stored, draft, records), allKeys)
      onOvertaken(next)
      return {}
    })

  /** Changes the data of the epoch. Resolves to whether something was written. */
  const write = async (epoch: string, keys: readonly string[], change: Change) => {
    let changes: Changes = {}
    const pending = unopened?.epoch === epoch ? unopened : undefined
    const isDone = await attempt(epoch, pending ? both : keys, (stored, draft, records) => {
      const opened = pending && dataOf(pending.owner, epoch, stored, draft)
      changes = { ...opened, ...change(opened?.stored ?? stored, opened?.draft ?? draft, records) }
      return changes
    })
    const isWritten = isDone && Object.keys(changes).length > 0
    if (isWritten && unopened === pending) unopened = undefined
    return isWritten
  }

  return {
    transferEpoch: (epoch, previous) =>
      attempt(epoch, both, (stored, draft) =>
        // A login never takes over an anonymous conversation, which may be another person's.
        stored.epoch === previous && stored.owner
          ? {
              stored: { ...stored, epoch },
              draft: { ...(draft.epoch === previous ? draft : emptyDraft), epoch },
            }
          : { stored: emptyConversation(epoch), draft: { ...emptyDraft, epoch } },
      ),
    async open(epoch, owner, isFirstEpoch = false) {
      let found: CachedSession = { ...emptyConversation(''), draft: emptyDraft }
      const isWritten = await attempt(
        epoch,
        isFirstEpoch ? [...both, anonymousSessionKey] : both,
        (stored, draft) => {
          const opened = dataOf(owner, epoch, stored, draft)
          found = { ...opened.stored, draft: toVersion(opened.draft) }
          return opened
        },
        next => {
          found = { ...found, epoch: next }
        },
      )
      unopened = isWritten ? undefined : { epoch, owner }
      // If the transaction was aborted, for example because the disk is full, nothing has been erased.
      return isWritten ? found : { ...found, epoch: '' }
    },
    read: (epoch, use) =>
      attempt(epoch, both, (stored, draft) => {
        const version = draft.epoch === epoch ? toVersion(draft) : emptyDraft
        if (stored.epoch === epoch) use({ ...stored, draft: version })
        return {}
      }),
    put: (epoch, change, changeDraft, files = new Map()) =>
      write(epoch, changeDraft ? both : ['stored'], (stored, draft) =>
        stored.epoch === epoch
          ? {
              stored: { ...stored, ...change(stored) },
              ...(changeDraft && { draft: { ...changeDraft(toVersion(draft)), epoch } }),
              ...Object.fromEntries([...files].map(([id, file]) => [fileKey(id), file])),
            }
          : {},
      ),
    async readFile(epoch, id) {
      let found: unknown
      await attempt(epoch, [...both, fileKey(id)], (stored, _, records) => {
        if (stored.epoch === epoch) found = records[fileKey(id)]
        return {}
      })
      return found instanceof Blob ? found : undefined
    },
    putDraft: (epoch, change) =>
      write(epoch, ['draft'], (_, draft) =>
        draft.epoch === epoch ? { draft: { ...change(toVersion(draft)), epoch } } : {},
      ),
  }
}

const toVersion = ({ epoch: _, ...version }: DraftRecord): DraftVersion => version
