import { limitLongCalls, runInBatches } from '../admission.ts'
import type { StoreLimits } from '../database.ts'
import { methodsOf } from '../queries/methods.ts'
import { cannotOpen, type Store } from '../store.ts'
import { readAddress } from './address.ts'
import { connect, type PostgresDatabase } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { sqlStates } from './errors.ts'
import { migrate } from './migrations.ts'

export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database`. Add `?pooler=transaction` behind a proxy that pools by transaction,
   * and `?connections=20` for a number of connections other than 10.
   */
  url: string
  /** For tests. */
  limits?: StoreLimits
}

const toAllow =
  '. Run "natter migrate" as a user who may make tables, and grant this one SELECT, INSERT, UPDATE and DELETE on all of them.'

/** The store on PostgreSQL, which any number of nodes share. */
export async function createPostgresStore({ url, limits }: PostgresStoreOptions): Promise<Store> {
  const db = await openPostgres(url)
  // The rest of the connections is for short calls.
  const reads = Math.max(1, Math.floor(db.connections / 4))
  return limitLongCalls(storeOf(db, limits), { reads, largeUpserts: 3 })
}

/** Opens a database whose tables are those of this version. @internal */
export async function openPostgres(url: string): Promise<PostgresDatabase> {
  const db = await connect(url)
  try {
    await migrate(db)
    return db
  } catch (cause) {
    await db.close()
    const advice = (cause as { code?: unknown }).code === sqlStates.insufficientPrivilege ? toAllow : ''
    throw cannotOpen(readAddress(url).name, cause, advice)
  }
}

/** Without the limit of long calls. @internal */
export function storeOf(db: PostgresDatabase, limits?: StoreLimits): Store {
  const { purgeSome, ...methods } = methodsOf(db, postgresDialect(limits))
  return {
    ...methods,
    // From so many calls on, calls wait for a connection, or soon will.
    purge: cutoffs =>
      runInBatches(
        () => purgeSome(cutoffs),
        () => db.pending > db.connections / 2,
      ),
    async now() {
      const read = await db.one<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp())::float * 1000 AS ms')
      return read?.ms ?? Number.NaN
    },
    async ping() {
      await db.all('SELECT 1')
    },
    queueDepth: () => db.pending,
    close: db.close,
  }
}
