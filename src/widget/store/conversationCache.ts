import type { Clock } from '../environment/clock.ts'
import { isOvertaken } from '../identity/epoch.ts'
import { anonymousSessionKey, findRecentFirstEpoch } from './anonymousSession.ts'
import { type Records, type UpdateRecords, updateInTime } from './database.ts'
import { type CachedSession, type OutboxEntry, parseCachedSession } from './guards.ts'

/**
 * Stores the transcript and the outbox with its files of one person. Every write belongs to an epoch and compares it with
 * the stored one in the same transaction, so that a tab that hasn't heard of a logout yet writes nothing. If storage fails,
 * nothing is kept.
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
   * Changes transcript and outbox, and adds `files`, by their ids. Resolves to whether the changes are stored: they are not if
   * another epoch is stored, if storage fails, or if it doesn't answer in time. Whatever changes the outbox erases the files
   * of messages that are no longer in it.
   */
  put(
    epoch: string,
    change: (stored: CachedSession) => Partial<CachedSession>,
    files?: ReadonlyMap<string, Blob>,
  ): Promise<boolean>
  /** Resolves to a file of a message in the outbox, or to `undefined` if it isn't stored. */
  readFile(epoch: string, id: string): Promise<Blob | undefined>
}

const emptyConversation = (epoch: string, owner = ''): CachedSession => ({
  epoch,
  owner,
  transcript: [],
  revision: 0,
  outbox: [],
})

const fileKey = (id: string) => `file:${id}`

type Changes = { stored?: CachedSession } & Records
type Change = (stored: CachedSession, records: Records) => Changes

/** Deletes the files that no message of the outbox has. */
function withoutUnusedFiles(changes: Changes, allKeys: readonly string[]): Changes {
  if (!changes.stored) return changes
  const used = changes.stored.outbox.flatMap(({ files = [] }: OutboxEntry) => files.map(({ id }) => fileKey(id)))
  const unused = allKeys.filter(key => key.startsWith(fileKey('')) && !used.includes(key))
  return { ...changes, ...Object.fromEntries(unused.map(key => [key, undefined])) }
}

/** The data of `owner` in an epoch: what is stored, or nothing yet if that is another person's or of another epoch. */
const dataOf = (owner: string, epoch: string, stored: CachedSession): CachedSession =>
  stored.epoch === epoch && stored.owner === owner ? stored : emptyConversation(epoch, owner)

/** `isCurrent` returns whether localStorage shows this epoch. */
export function createCache(update: UpdateRecords, clock: Clock, isCurrent: (epoch: string) => boolean): Cache {
  /** What `open` could not store, because storage failed. Without the owner, the next page load would erase later writes. */
  let unopened: { epoch: string; owner: string } | undefined

  /** Writes what `change` returns, unless another epoch has begun. Resolves to whether the database has answered. */
  const attempt = (
    epoch: string,
    change: Change,
    { keys = [], onOvertaken = () => {} }: { keys?: readonly string[]; onOvertaken?: (epoch: string) => void } = {},
  ) =>
    updateInTime(update, clock, ['stored', ...keys], (records, allKeys) => {
      const stored = parseCachedSession(records['stored']) ?? emptyConversation('')
      const next =
        findRecentFirstEpoch(epoch, records[anonymousSessionKey], clock.now()) ||
        (isOvertaken(epoch, stored.epoch, isCurrent) && stored.epoch)
      if (!next) return withoutUnusedFiles(change(stored, records), allKeys)
      onOvertaken(next)
      return {}
    })

  return {
    transferEpoch: (epoch, previous) =>
      attempt(epoch, stored => ({
        // A login never takes over an anonymous conversation, which may be another person's.
        stored: stored.epoch === previous && stored.owner ? { ...stored, epoch } : emptyConversation(epoch),
      })),
    async open(epoch, owner, isFirstEpoch = false) {
      let found = emptyConversation('')
      const isWritten = await attempt(
        epoch,
        stored => {
          found = dataOf(owner, epoch, stored)
          return { stored: found }
        },
        {
          keys: isFirstEpoch ? [anonymousSessionKey] : [],
          onOvertaken(next) {
            found = { ...found, epoch: next }
          },
        },
      )
      unopened = isWritten ? undefined : { epoch, owner }
      // If the transaction was aborted, for example because the disk is full, nothing has been erased.
      return isWritten ? found : { ...found, epoch: '' }
    },
    read: (epoch, use) =>
      attempt(epoch, stored => {
        if (stored.epoch === epoch) use(stored)
        return {}
      }),
    async put(epoch, change, files = new Map()) {
      let isOpen = false
      const pending = unopened?.epoch === epoch ? unopened : undefined
      const isDone = await attempt(epoch, found => {
        const stored = pending ? dataOf(pending.owner, epoch, found) : found
        isOpen = stored.epoch === epoch
        if (!isOpen) return {}
        const added = Object.fromEntries([...files].map(([id, file]) => [fileKey(id), file]))
        return { stored: { ...stored, ...change(stored) }, ...added }
      })
      const isWritten = isDone && isOpen
      if (isWritten && unopened === pending) unopened = undefined
      return isWritten
    },
    async readFile(epoch, id) {
      let found: unknown
      await attempt(
        epoch,
        (stored, records) => {
          if (stored.epoch === epoch) found = records[fileKey(id)]
          return {}
        },
        { keys: [fileKey(id)] },
      )
      return found instanceof Blob ? found : undefined
    },
  }
}
