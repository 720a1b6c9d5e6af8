import { createFairQueue } from '../fairQueue.ts'
import { type Store, StoreUnavailableError } from '../store.ts'
import { readAddress } from './address.ts'
import { agents } from './agents.ts'
import { connect, type Database, longMs, usualMs } from './connection.ts'
import { contacts } from './contacts.ts'
import { conversations } from './conversations.ts'
import { deliveries } from './deliveries.ts'
import { migrate } from './migrations.ts'
import { organizations } from './organizations.ts'
import { purge } from './purge.ts'
import { quotas } from './quotas.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { turns } from './turns.ts'

export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database`. Add `?pooler=transaction` behind a proxy that pools by transaction,
   * and `?connections=20` for a number of connections other than 10.
   */
  url: string
  /** The time limit of connections and of ordinary statements; default 5000. */
  timeoutMs?: number
}

/** Ours: how many searches, lists and exports of an organization can wait. */
const readsWaiting = 100
/** Upserts from this size on are queued. */
const heavyFrom = 100

const insufficientPrivilege = '42501'
const toAllow =
  '. Run "natter migrate" as a user who may make tables, and grant this one SELECT, INSERT, UPDATE and DELETE on all of them.'

/** The store on PostgreSQL, which any number of nodes share. */
export async function createPostgresStore({ url, timeoutMs }: PostgresStoreOptions): Promise<Store> {
  const db = await connect(url, timeoutMs)
  try {
    await migrate(db)
  } catch (cause) {
    await db.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const advice = (cause as { code?: unknown }).code === insufficientPrivilege ? toAllow : ''
    throw new StoreUnavailableError(`Cannot open the database ${readAddress(url).name}: ${reason}${advice}`, { cause })
  }
  return { ...withFairQueues(db), close: db.close }
}

type Methods = Omit<Store, 'queueDepth' | 'close'>

function storeOf(db: Database): Methods {
  return {
    ...organizations(db),
    ...contacts(db),
    ...search(db),
    ...sessions(db),
    ...conversations(db),
    ...agents(db),
    ...turns(db),
    ...deliveries(db),
    ...quotas(db),
    ...purge(db),
    async now() {
      const read = await db.one<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp())::float * 1000 AS ms')
      return read?.ms ?? Number.NaN
    },
    async ping() {
      await db.all('SELECT 1')
    },
  }
}

/** Limits long calls to a part of the connections, in which organizations take turns. The rest is for short calls. */
function withFairQueues(db: Database): Omit<Store, 'close'> {
  const store = storeOf(db)
  const atOnce = Math.max(1, Math.floor(db.connections / 4))
  const reads = createFairQueue({ maxWaiting: readsWaiting, maxWaitMs: usualMs, atOnce })
  const upserts = createFairQueue({ maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: longMs, atOnce })
  return {
    ...store,
    searchContacts: (scope, wanted) => reads.run(scope.organizationId, () => store.searchContacts(scope, wanted)),
    listConversations: (scope, page) => reads.run(scope.organizationId, () => store.listConversations(scope, page)),
    exportContact: scope => reads.run(scope.organizationId, () => store.exportContact(scope)),
    upsertContacts: (scope, entries, request) => {
      const run = () => store.upsertContacts(scope, entries, request)
      return entries.length < heavyFrom ? run() : upserts.run(scope.organizationId, run)
    },
    queueDepth: () => db.pending + reads.waiting + upserts.waiting,
  }
}
