import { type Store, StoreUnavailableError } from '../store.ts'
import { agents } from './agents.ts'
import { connect } from './connection.ts'
import { contacts } from './contacts.ts'
import { conversations } from './conversations.ts'
import { deliveries } from './deliveries.ts'
import { migrate } from './migrations.ts'
import { organizations } from './organizations.ts'
import { purge } from './purge.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { turns } from './turns.ts'

export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database`; with `?pooler=transaction` behind a proxy that gives each transaction
   * another connection, and with `?connections=20` for another number of them than 10.
   */
  url: string
}

/** The store beyond one machine, on PostgreSQL: as many nodes as needed share one. */
export async function createPostgresStore({ url }: PostgresStoreOptions): Promise<Store> {
  const db = await connect(url)
  try {
    await migrate(db)
  } catch (cause) {
    await db.close()
    const { host, pathname } = new URL(url)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreUnavailableError(`Cannot open the database ${host}${pathname}: ${reason}`, { cause })
  }
  return {
    ...organizations(db),
    ...contacts(db),
    ...search(db),
    ...sessions(db),
    ...conversations(db),
    ...agents(db),
    ...turns(db),
    ...deliveries(db),
    ...purge(db),
    queueDepth: () => db.pending,
    async ping() {
      await db.all('SELECT 1')
    },
    close: db.close,
  }
}
