import type { Clock } from '../environment/clock.ts'
import type { IdentityStore } from '../identity/identityStore.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import { type EpochReason, isBefore, isContinued, numberOf } from '../identity/storedIdentity.ts'
import { type StoredRecords, type UpdateRecords, updateInTime } from './database.ts'
import {
  type OutboxEntry,
  parseMeta,
  parseOutbox,
  parseTranscript,
  type RecordsMeta,
  type Transcript,
} from './guards.ts'
import { storageDelayMs } from './storageDelays.ts'

/** The epoch of a scope and its contact's id: `''` for an anonymous visitor, `undefined` while nobody knows it. */
type Owned = Pick<SessionScope, 'epoch' | 'owner'> & Partial<Pick<SessionScope, 'reason'>>

export interface OpenedRecords {
  transcript: Transcript
  /** In the order of sending. */
  outbox: readonly OutboxEntry[]
  /** Whether nothing of another person or epoch is left. Otherwise storage has failed, and the data is empty. */
  isClean: boolean
  /** The token of an anonymous session of an earlier epoch that was erased. */
  erasedToken: string | null
}

export type Records = ReturnType<typeof createRecords>

export type EditOutbox = (entries: readonly OutboxEntry[]) => readonly OutboxEntry[]

export interface RecordsDeps {
  update: UpdateRecords
  clock: Clock
  identity: Pick<IdentityStore, 'read' | 'newEpoch' | 'hasSeen' | 'isBlocked'>
  /** IndexedDB has the records of a later epoch, so nothing is written for `epoch`. */
  onOvertaken(epoch: string, later: RecordsMeta): void
}

/** `erasedToken` is that of an anonymous session of an earlier epoch, which is erased in the same transaction. */
type Edit = (
  meta: RecordsMeta,
  records: StoredRecords,
  allKeys: readonly string[],
  erasedToken: string | null,
) => StoredRecords

const fileKey = (id: string) => `file:${id}`

const createMeta = (epoch: string, reason: EpochReason, owner = ''): RecordsMeta => ({
  epoch,
  reason,
  owner,
  token: '',
})

const eraseAll = (allKeys: readonly string[], meta: RecordsMeta): StoredRecords => ({
  ...Object.fromEntries(['meta', 'transcript', 'outbox', ...allKeys].map(key => [key, undefined])),
  meta,
})

/**
 * Whether the outbox stays: the scope is that of a login, whose contact nobody knew when it was written, or the anonymous visitor
 * of `meta` goes on in it. If their session has expired, only open pages keep it, in memory: a page that is loaded later may be
 * another person's.
 */
function keepsOutbox(meta: RecordsMeta, { epoch, owner, reason }: Owned): boolean {
  if (meta.owner) return false
  if (owner) return meta.epoch === epoch && meta.reason === 'login'
  return reason !== 'expired' && isContinued(meta.epoch, epoch)
}

/**
 * The transcript and the outbox of one person in IndexedDB. The record `meta` says whose they are, and is compared in each
 * transaction: a scope that is later, or another person's, erases every record before it writes, and one that is earlier
 * changes nothing. If storage fails, nothing is kept.
 */
export function createRecords({ update, clock, identity, onOvertaken }: RecordsDeps) {
  /** Writes what `edit` returns unless a later epoch has begun. Resolves to whether the database has answered. */
  const transact = (epoch: string, keys: readonly string[], edit: Edit): Promise<boolean> =>
    updateInTime(update, clock, ['meta', ...keys], (records, allKeys) => {
      const meta = parseMeta(records['meta']) ?? createMeta('', 'storage_reset')
      if (!isBefore(epoch, meta.epoch)) return edit(meta, records, allKeys, null)
      // An epoch that localStorage doesn't take can't be followed by other tabs. The data is then in memory only.
      if (identity.isBlocked()) throw new Error('localStorage is blocked')
      onOvertaken(epoch, meta)
      return {}
    })

  /** Changes the records of a scope. `refused`: a later epoch has begun, or it isn't known whose the records are. */
  async function change(scope: Owned, keys: readonly string[], edit: Edit): Promise<'stored' | 'refused' | 'failed'> {
    const { epoch, reason = 'storage_reset', owner } = scope
    // Before the first epoch has begun.
    if (!epoch) return 'refused'
    let isAccepted = false
    const isAnswered = await transact(epoch, keys, (meta, records, allKeys) => {
      const isOwn = meta.epoch === epoch && (owner === undefined || meta.owner === owner)
      isAccepted = isOwn || owner !== undefined
      if (isOwn) return edit(meta, records, allKeys, null)
      if (!isAccepted) return {}
      const own = createMeta(epoch, reason, owner)
      const erasedToken = meta.token || null
      if (!keepsOutbox(meta, scope)) return { ...eraseAll(allKeys, own), ...edit(own, {}, [], erasedToken) }
      const { outbox } = records
      return { meta: own, transcript: undefined, ...edit(own, { outbox }, allKeys, erasedToken) }
    })
    return isAnswered ? (isAccepted ? 'stored' : 'refused') : 'failed'
  }

  return {
    /**
     * Begins an epoch if localStorage holds none, and resolves to it. Resolves to `undefined` if another tab has begun one in
     * the last 5 s, because localStorage is about to show it. If IndexedDB doesn't answer in time, the epoch begins without it.
     */
    async beginFirst(): Promise<string | undefined> {
      // Without an answer, every epoch that localStorage may be about to show counts as later.
      let first: string | undefined = identity.newEpoch('storage_reset', '', clock.now() - storageDelayMs)
      let isInTime = true
      await updateInTime(update, clock, ['meta'], (records, allKeys) => {
        if (!isInTime) return {}
        const last = parseMeta(records['meta'])?.epoch ?? ''
        const hasBegun = identity.read().epoch !== ''
        const age = clock.now() - numberOf(last)
        // If the clock was set back, the last epoch is in the future.
        if (hasBegun || (age >= 0 && age < storageDelayMs && !identity.hasSeen(last))) {
          first = undefined
          return {}
        }
        first = identity.newEpoch('storage_reset', last)
        return eraseAll(allKeys, createMeta(first, 'storage_reset'))
      })
      isInTime = false
      return first
    },
    /** Moves a contact's data from `previous` into the epoch of a login, and erases all else. Resolves to the erased token. */
    async move(epoch: string, previous: string): Promise<string | null> {
      let erasedToken: string | null = null
      await transact(epoch, [], (meta, _, allKeys) => {
        // A login never takes over an anonymous conversation, which may be another person's.
        if (meta.epoch === previous && meta.owner) return { meta: { ...meta, epoch, reason: 'login' } }
        erasedToken = meta.token || null
        return eraseAll(allKeys, createMeta(epoch, 'login'))
      })
      return erasedToken
    },
    /** Erases what is not the scope's. Resolves to its data, or to `undefined` if a later epoch has begun. */
    async takeOver(scope: Owned): Promise<OpenedRecords | undefined> {
      const empty = { transcript: parseTranscript(undefined), outbox: [], isClean: false, erasedToken: null }
      let opened: OpenedRecords = empty
      const outcome = await change(scope, ['transcript', 'outbox'], (_, records, __, erasedToken) => {
        const transcript = parseTranscript(records['transcript'])
        opened = { transcript, outbox: parseOutbox(records['outbox']), isClean: true, erasedToken }
        return {}
      })
      if (outcome === 'refused') return undefined
      return outcome === 'stored' ? opened : empty
    },
    /**
     * Stores the token of the scope's anonymous session unless there is one. Resolves to the one that is stored, to `''` if
     * there is none, or to `undefined` if a later epoch has begun.
     */
    async claimToken(scope: Owned, token: string): Promise<string | undefined> {
      let known = token
      const outcome = await change(scope, [], meta => {
        known = meta.token || token
        return known === meta.token ? {} : { meta: { ...meta, token: known } }
      })
      return outcome === 'refused' ? undefined : outcome === 'stored' ? known : token
    },
    /** Resolves to whether the change is stored. */
    async putTranscript(scope: Owned, edit: (stored: Transcript) => Transcript): Promise<boolean> {
      const outcome = await change(scope, ['transcript'], (_, { transcript }) => ({
        transcript: edit(parseTranscript(transcript)),
      }))
      return outcome === 'stored'
    },
    /**
     * Changes the outbox, adds `files` by their ids, and erases those that no message refers to. Resolves to whether the change
     * is stored.
     */
    async putOutbox(scope: Owned, edit: EditOutbox, files: ReadonlyMap<string, Blob> = new Map()): Promise<boolean> {
      const outcome = await change(scope, ['outbox'], (_, records, allKeys) => {
        const outbox = edit(parseOutbox(records['outbox']))
        const used = outbox.flatMap(entry => entry.files ?? []).map(({ id }) => fileKey(id))
        const unused = allKeys.filter(key => key.startsWith(fileKey('')) && !used.includes(key))
        return {
          ...Object.fromEntries(unused.map(key => [key, undefined])),
          ...Object.fromEntries([...files].map(([id, file]) => [fileKey(id), file])),
          outbox,
        }
      })
      return outcome === 'stored'
    },
    /** Calls `use` inside the transaction, so that no message of another tab can come in between. */
    read: (epoch: string, use: (owner: string, outbox: readonly OutboxEntry[]) => void): Promise<unknown> =>
      change({ epoch, owner: undefined }, ['outbox'], ({ owner }, { outbox }) => {
        use(owner, parseOutbox(outbox))
        return {}
      }),
    /** Resolves to a file of a message in the outbox, or to `undefined` if it isn't stored. */
    async readFile(epoch: string, id: string): Promise<Blob | undefined> {
      let found: unknown
      const key = fileKey(id)
      await change({ epoch, owner: undefined }, [key], (_, { [key]: file }) => {
        found = file
        return {}
      })
      return found instanceof Blob ? found : undefined
    },
  }
}
