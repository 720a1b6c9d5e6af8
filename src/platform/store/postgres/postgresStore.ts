import { defaultMs } from '../deadline.ts'
import { createFairQueue } from '../fairQueue.ts'
import { methodsOf } from '../queries/methods.ts'
import { currentCall } from '../requestContext.ts'
import { runInBatches } from '../runInBatches.ts'
import type { SearchLimits } from '../searchLimits.ts'
import { type BotScope, type Store, StoreBusyError, StoreUnavailableError } from '../store.ts'
import { readAddress } from './address.ts'
import { connect, type PostgresDatabase } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { ensureSchema } from './ensureSchema.ts'
import { sqlStates } from './sqlStates.ts'

export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database`. Add `?pooler=transaction` behind a proxy that pools by transaction,
   * and `?connections=20` for a number of connections other than 10.
   */
  url: string
  /** The time limit of connections and of ordinary statements; default 5000. */
  timeoutMs?: number
  /** Where a search ends; for tests. */
  searchLimits?: SearchLimits
}

/** How many searches, lists and exports of an organization can wait. */
const readsWaiting = 100
/** How many of all organizations can wait. */
const readsWaitingOfAll = 2_000

const toAllow =
  '. Run "natter migrate" as a user who may make tables, and grant this one SELECT, INSERT, UPDATE and DELETE on all of them.'

/** The store on PostgreSQL, which any number of nodes share. */
export async function createPostgresStore({ url, timeoutMs, searchLimits }: PostgresStoreOptions): Promise<Store> {
  const db = await connect(url, timeoutMs)
  try {
    await ensureSchema(db)
  } catch (cause) {
    await db.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const advice = (cause as { code?: unknown }).code === sqlStates.insufficientPrivilege ? toAllow : ''
    throw new StoreUnavailableError(`Cannot open the database ${readAddress(url).name}: ${reason}${advice}`, { cause })
  }
  return { ...withFairQueue(db, storeOf(db, searchLimits)), close: db.close }
}

type Methods = Omit<Store, 'queueDepth' | 'close'>

/** Without the limit of long reads. @internal */
export function storeOf(db: PostgresDatabase, searchLimits?: SearchLimits): Methods {
  const { purgeSome, ...methods } = methodsOf(db, postgresDialect(searchLimits))
  return {
    ...methods,
    // From so many calls on, calls wait for a connection, or soon will.
    purge: limits => runInBatches({ isBusy: () => db.pending > db.connections / 2, runBatch: () => purgeSome(limits) }),
    async now() {
      const read = await db.one<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp())::float * 1000 AS ms')
      return read?.ms ?? Number.NaN
    },
    async ping() {
      await db.all('SELECT 1')
    },
  }
}

/**
 * Limits long reads to a part of the connections, on which organizations are served in rotation. The rest is for short
 * calls.
 */
function withFairQueue(db: PostgresDatabase, store: Methods): Omit<Store, 'close'> {
  const reads = createFairQueue({
    name: 'reads',
    maxWaiting: readsWaiting,
    maxWaitingOfAll: readsWaitingOfAll,
    maxConcurrent: Math.max(1, Math.floor(db.connections / 4)),
    FullError: StoreBusyError,
  })
  const queued = <Result>({ organizationId }: BotScope, read: () => Promise<Result>): Promise<Result> =>
    reads.run(organizationId, currentCall(defaultMs).deadline, read)
  return {
    ...store,
    searchContacts: (scope, wanted) => queued(scope, () => store.searchContacts(scope, wanted)),
    listContacts: (scope, page) => queued(scope, () => store.listContacts(scope, page)),
    listConversations: (scope, page) => queued(scope, () => store.listConversations(scope, page)),
    exportContact: scope => queued(scope, () => store.exportContact(scope)),
    queueDepth: () => db.pending + reads.waiting,
  }
}
