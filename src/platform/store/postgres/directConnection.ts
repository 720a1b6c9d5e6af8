import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { readAddress } from './address.ts'
import { loadDriver, mapDriverError, parsersOf, type Queries } from './connection.ts'
import { migrationLock } from './schemaVersion.ts'

/** One connection to the server itself, for commands that work for long. */
export interface DirectConnection extends Queries {
  /** Runs a transaction. */
  transact<Result>(run: () => Promise<Result>, mode?: string): Promise<Result>
  close(): Promise<void>
}

const pollMs = 500

/** Throws if a proxy that pools connections is in between: what holds for a session could end after each statement. */
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
  // Without a listener the error would end the process. The next statement fails with it.
  client.on('error', () => {})
  await mapDriverError(() => client.connect())

  async function all<Row extends object>(text: string, values?: unknown[]): Promise<Row[]> {
    return (await client.query(text, values)).rows as Row[]
  }
  const queries: Queries = { all, one: async (text, values) => (await all(text, values))[0] as never }
  try {
    // A limit of the role or the database would end what takes long, such as an index, each time it is tried.
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

/** The proxy answers with another process's id than the one that it gave at the login. */
class PooledError extends Error {
  override readonly name = 'PooledError'

  constructor(database: string) {
    super(
      `${database} is the address of a connection pooler. Give this command the address of PostgreSQL itself: its lock has to outlive a transaction.`,
    )
  }
}

/**
 * Takes the lock for migrations until the connection ends. It asks again and again: a wait for it would itself be waited
 * for by an index that the holder builds.
 */
export async function lockMigrations(db: Queries, onWait: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const lock = await db.one<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [migrationLock])
    if (lock?.held) return
    if (attempt === 1) onWait()
    await pause(pollMs)
  }
}
