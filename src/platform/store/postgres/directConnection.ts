import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { readAddress } from './address.ts'
import { loadDriver, parsersOf, type Queries } from './connection.ts'
import { mapDriverError } from './errors.ts'
import { migrationLock } from './schemaVersion.ts'

/** One connection to the server itself, without time limits, for commands that run for long. */
export interface DirectConnection extends Queries {
  /** Runs a transaction. */
  transact<Result>(run: () => Promise<Result>, mode?: string): Promise<Result>
  close(): Promise<void>
}

const pollMs = 500

/** Throws if the address is that of a connection pooler, which may give each statement another session. */
export async function connectDirectly(address: string, application: string): Promise<DirectConnection> {
  const { url, keepsStatements, name } = readAddress(address)
  if (!keepsStatements) throw new PooledError(name)
  const { Client, types } = await loadDriver()
  const client: Client = new Client({
    connectionString: url,
    application_name: application,
    keepAlive: true,
    types: parsersOf(types),
  } as ClientConfig)
  // Without a listener the error would end the process. The next statement reports the lost connection.
  client.on('error', () => {})
  await mapDriverError(() => client.connect())

  async function all<Row extends object>(text: string, values?: unknown[]): Promise<Row[]> {
    return (await client.query(text, values)).rows as Row[]
  }
  const queries: Queries = { all, one: async (text, values) => (await all(text, values))[0] as never }
  try {
    // With the limits of the role or the database, a long statement such as building an index would never succeed.
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await all(`SET ${limit} = 0`)
    const server = await queries.one<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    if (server?.pid !== (client as Client & { processID?: number }).processID) throw new PooledError(name)
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    ...queries,
    async transact(run, mode = '') {
      await all(`BEGIN ${mode}`)
      try {
        const result = await run()
        await all('COMMIT')
        return result
      } catch (error) {
        await all('ROLLBACK').catch(() => {})
        throw error
      }
    },
    close: () => client.end(),
  }
}

/** A pooler: the process that answers has another id than the one at the login. */
class PooledError extends Error {
  override readonly name = 'PooledError'

  constructor(database: string) {
    super(
      `${database} is the address of a connection pooler. Give this command the address of PostgreSQL itself: its lock has to outlive a transaction.`,
    )
  }
}

/**
 * Takes the lock for migrations until the connection ends. Polls instead of waiting: the holder may build an index, and
 * PostgreSQL would make that wait for the transaction that waits here.
 */
export async function lockMigrations(db: Queries, onWait: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const lock = await db.one<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [migrationLock])
    if (lock?.held) return
    if (attempt === 1) onWait()
    await pause(pollMs)
  }
}
