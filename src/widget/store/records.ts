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

/**
 * The transcript and the outbox of one person in IndexedDB. The record `meta` says whose they are, and is compared in each
 * transaction: a scope that is later, or another person's, erases every record before it writes, and one that is earlier
 * changes nothing. If storage fails, nothing is kept.
 */
export interface Records {
  /**
   * Begins an epoch if localStorage holds none, and resolves to it. Resolves to `undefined` if another tab has begun one in the
   * last 5 s, because localStorage is about to show it. If IndexedDB doesn't answer in time, the epoch begins without it.
   */
  beginFirst(): Promise<string | undefined>
  /** Moves a contact's data from `previous` into the epoch of a login, and erases all else. Resolves to the erased token. */
  move(epoch: string, previous: string): Promise<string | null>
  /** Erases what is not the scope's. Resolves to its data, or to `undefined` if a later epoch has begun. */
  takeOver(scope: Owned): Promise<OpenedRecords | undefined>
  /**
   * Stores the token of the scope's anonymous session unless there is one. Resolves to the one that is stored, to `''` if
   * there is none, or to `undefined` if a later epoch has begun.
   */
  claimToken(scope: Owned, token: string): Promise<string | undefined>
  /** Resolves to whether the change is stored. */
  putTranscript(scope: Owned, edit: (stored: Transcript) => Transcript): Promise<boolean>
  /**
   * Changes the outbox, adds `files` by their ids, and erases those that no message refers to. Resolves to whether the
   * change is stored.
   */
  putOutbox(scope: Owned, edit: EditOutbox, files?: ReadonlyMap<string, Blob>): Promise<boolean>
  /** Calls `use` inside the transaction, so that no message of another tab can come in between. */
  read(epoch: string, use: (owner: string, outbox: readonly OutboxEntry[]) => void): Promise<unknown>
  /** Resolves to a file of a message in the outbox, or to `undefined` if it isn't stored. */
  readFile(epoch: string, id: string): Promise<Blob | undefined>
}

export type EditOutbox = (entries: readonly OutboxEntry[]) => readonly OutboxEntry[]

export interface RecordsDeps {
  update: UpdateRecords
  clock: Clock
  identity: Pick<IdentityStore, 'read' | 'newEpoch' | 'hasSeen'>
  /** IndexedDB has the records of a later epoch, so nothing is written for `epoch`. */
  onOvertaken(epoch: string, later: RecordsMeta): void
}

type Edit = (meta: RecordsMeta, records: StoredRecords, allKeys: readonly string[]) => StoredRecords

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
 * Whether the outbox stays, because the anonymous visitor of `meta` goes on in the scope. If their session has expired, only open
 * pages keep it, in memory: a page that is loaded later may be another person's.
 */
const keepsOutbox = (meta: RecordsMeta, { epoch, owner, reason }: Owned) =>
  !owner && !meta.owner && reason !== 'expired' && isContinued(meta.epoch, epoch)

export function createRecords({ update, clock, identity, onOvertaken }: RecordsDeps): Records {
  /** Writes what `edit` returns unless a later epoch has begun. Resolves to whether the database has answered. */
  const transact = (epoch: string, keys: readonly string[], edit: Edit): Promise<boolean> =>
    updateInTime(update, clock, ['meta', ...keys], (records, allKeys) => {
      const meta = parseMeta(records['meta']) ?? createMeta('', 'storage_reset')
      if (!isBefore(epoch, meta.epoch)) return edit(meta, records, allKeys)
      onOvertaken(epoch, meta)
      return {}
    })

  /** Changes the records of a scope. `refused`: a later epoch has begun, or it isn't known whose the records are. */
  async function change(
    scope: Owned,
    keys: readonly string[],
    edit: Edit,
    onErase = (_erased: RecordsMeta) => {},
  ): Promise<'stored' | 'refused' | 'failed'> {
    const { epoch, reason = 'storage_reset', owner } = scope
    // Before the first epoch has begun.
    if (!epoch) return 'refused'
    let isAccepted = false
    const isAnswered = await transact(epoch, keys, (meta, records, allKeys) => {
      const isOwn = meta.epoch === epoch && (owner === undefined || meta.owner === owner)
      isAccepted = isOwn || owner !== undefined
      if (isOwn) return edit(meta, records, allKeys)
      if (!isAccepted) return {}
      onErase(meta)
      const own = createMeta(epoch, reason, owner)
      if (!keepsOutbox(meta, scope)) return { ...eraseAll(allKeys, own), ...edit(own, {}, []) }
      const { outbox } = records
      return { meta: own, transcript: undefined, ...edit(own, { outbox }, allKeys) }
    })
    return isAnswered ? (isAccepted ? 'stored' : 'refused') : 'failed'
  }

  return {
    async beginFirst() {
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
    async move(epoch, previous) {
      let erasedToken: string | null = null
      await transact(epoch, [], (meta, _, allKeys) => {
        // A login never takes over an anonymous conversation, which may be another person's.
        if (meta.epoch === previous && meta.owner) return { meta: { ...meta, epoch, reason: 'login' } }
        erasedToken = meta.token || null
        return eraseAll(allKeys, createMeta(epoch, 'login'))
      })
      return erasedToken
    },
    async takeOver(scope) {
      const empty = { transcript: parseTranscript(undefined), outbox: [], isClean: false, erasedToken: null }
      let opened: OpenedRecords = empty
      let erasedToken: string | null = null
      const outcome = await change(
        scope,
        ['transcript', 'outbox'],
        (_, records) => {
          const transcript = parseTranscript(records['transcript'])
          opened = { transcript, outbox: parseOutbox(records['outbox']), isClean: true, erasedToken }
          return {}
        },
        ({ token }) => {
          erasedToken = token || null
        },
      )
      if (outcome === 'refused') return undefined
      return outcome === 'stored' ? opened : empty
    },
    async claimToken(scope, token) {
      let known = token
      const outcome = await change(scope, [], meta => {
        known = meta.token || token
        return known === meta.token ? {} : { meta: { ...meta, token: known } }
      })
      return outcome === 'refused' ? undefined : outcome === 'stored' ? known : token
    },
    async putTranscript(scope, edit) {
      const outcome = await change(scope, ['transcript'], (_, { transcript }) => ({
        transcript: edit(parseTranscript(transcript)),
      }))
      return outcome === 'stored'
    },
    async putOutbox(scope, edit, files = new Map()) {
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
    read: (epoch, use) =>
      change({ epoch, owner: undefined }, ['outbox'], ({ owner }, { outbox }) => {
        use(owner, parseOutbox(outbox))
        return {}
      }),
    async readFile(epoch, id) {
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
