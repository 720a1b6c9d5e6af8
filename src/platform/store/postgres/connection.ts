import { setTimeout as pause } from 'node:timers/promises'
import type { Client as PgClient, Pool, PoolClient, QueryResultRow } from 'pg'
import { defaultTimeLimitMs } from '../../../contract/limits.ts'
import { createAdmission } from '../admission.ts'
import { type Deadline, msUntil } from '../callContext.ts'
import type { Database, Queries } from '../database.ts'
import { StoreUnavailableError } from '../store.ts'
import { readAddress } from './address.ts'
import { isReadOnly, isRetryable, mapDriverError, sqlStates, toStoreError } from './errors.ts'

/** The database on a server. */
export interface PostgresDatabase extends Database {
  /** How many calls wait for a connection or a response. */
  readonly pending: number
  /** The maximum number of connections. */
  readonly connections: number
  close(): Promise<void>
}

/** For how long after the server's own time limit the client waits before it gives the connection up. */
const graceMs = 1_000
/**
 * For how long an unused connection is kept. Opening one, and planning its statements for the first time, costs the server more
 * than the statements of a message.
 */
const unusedMs = 10 * 60 * 1000
/** The server ends a transaction that is idle for so long, which releases the locks of a node that hangs. */
const idleMs = 10_000

export async function connect(url: string): Promise<PostgresDatabase> {
  const { Client, Pool, types } = (await import('pg').catch(explainMissing)).default
  /** Closes a connection that fails before the login. The driver leaves it open, which keeps the process alive. */
  class ClosingClient extends Client {
    override connect(): Promise<PgClient>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): unknown {
      if (!callback) return super.connect()
      return super.connect((error: Error) => {
        if (error) void this.end()
        callback(error)
      })
    }
  }
  const { url: connectionString, connections: max, keepsStatements } = readAddress(url)
  const pool = new Pool({
    Client: ClosingClient,
    connectionString,
    max,
    connectionTimeoutMillis: defaultTimeLimitMs,
    idleTimeoutMillis: unusedMs,
    keepAlive: true,
    application_name: 'natter',
    types: parsersOf(types),
  } as ConstructorParameters<typeof Pool>[0])
  // Ignores the loss of an idle connection: the next call gets another one.
  pool.on('error', () => {})
  // A connection can also fail while the pool hands it over. Without a listener the error would end the process.
  pool.on('connect', client => void client.on('error', () => {}))
  return createDatabase(pool, keepsStatements)
}

function createDatabase(pool: Pool, keepsStatements: boolean): PostgresDatabase {
  const statementNames = new Map<string, string>()
  const running = new Set<Promise<unknown>>()
  const { max } = pool.options
  // Reserves a tenth for the platform's own calls. In the pool's queue they would wait behind all others.
  const admission = createAdmission(Math.max(1, max - Math.ceil(max / 10)))
  let closing: Promise<void> | undefined

  /** The name by which a connection prepares a statement once. Statements are few and fixed. */
  function nameOf(text: string): string {
    const name = statementNames.get(text) ?? `natter_${statementNames.size}`
    statementNames.set(text, name)
    return name
  }

  function queriesOf(target: Pool | PoolClient, deadline: Deadline): Queries {
    async function all<Row extends object>(text: string, values?: unknown[]): Promise<Row[]> {
      // Without a name and values, the text can be several statements, as those of a migration.
      const prepared = values && { values, ...(keepsStatements && { name: nameOf(text) }) }
      const query = { text, ...prepared, query_timeout: responseTimeoutUntil(deadline) }
      return (await mapDriverError(() => target.query<QueryResultRow>(query))).rows as Row[]
    }
    return { all, one: async (text, values) => (await all(text, values))[0] as never }
  }

  async function runTransaction<Result>(
    run: (tx: Queries) => Promise<Result>,
    isSnapshot: boolean,
    deadline: Deadline,
  ): Promise<Result> {
    const client = await mapDriverError(() => pool.connect())
    let isReusable = false
    try {
      const leftMs = await begin(client, isSnapshot, deadline)
      const result = await run(queriesOf(client, deadline))
      await send(client, isSnapshot ? 'COMMIT' : commitWithin(leftMs), deadline)
      isReusable = true
      return result
    } catch (error) {
      // If a response is missing, it would be taken for that of the next statement. If the server is read-only, another one
      // has taken its place.
      if (!(error instanceof StoreUnavailableError || isReadOnly(error)))
        isReusable = await send(client, 'ROLLBACK', deadline).then(
          () => true,
          () => false,
        )
      throw error
    } finally {
      client.release(!isReusable)
    }
  }

  async function retry<Result>(run: (attempt: number) => Promise<Result>, deadline: Deadline): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(attempt)
      } catch (error) {
        // Random, so that transactions that conflicted do not conflict again.
        const pauseMs = Math.random() * Math.min(200, 5 * 2 ** attempt)
        if (!isRetryable(error) || msUntil(deadline) < pauseMs) throw toStoreError(error)
        await pause(pauseMs)
      }
    }
  }

  /** Runs a call when it is admitted, and repeats it after a conflict. */
  async function call<Result>(run: (deadline: Deadline, attempt: number) => Promise<Result>): Promise<Result> {
    if (closing) throw new StoreUnavailableError('The store is closed.')
    const result = admission.run(deadline => retry(attempt => run(deadline, attempt), deadline))
    running.add(result)
    return result.finally(() => running.delete(result))
  }

  const queries: Queries = {
    all: (text, values) => call(deadline => queriesOf(pool, deadline).all(text, values)),
    one: (text, values) => call(deadline => queriesOf(pool, deadline).one(text, values)),
  }
  const transact: Database['transact'] = (run, { isSnapshot = false } = {}) =>
    call((deadline, attempt) => runTransaction(tx => run(tx, attempt), isSnapshot, deadline))

  return {
    ...queries,
    write: (text, values) => transact(tx => tx.all(text, values)),
    transact,
    get pending() {
      return running.size
    },
    connections: max,
    close() {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

const leftUntil = (deadline: Deadline): number => Math.max(1, Math.ceil(msUntil(deadline)))

/** How long to wait for a response. */
const responseTimeoutUntil = (deadline: Deadline): number => leftUntil(deadline) + graceMs

/** Runs statements without values, in one message. */
function send(client: PoolClient, text: string, deadline: Deadline): Promise<unknown> {
  const query = { text, query_timeout: responseTimeoutUntil(deadline) }
  return mapDriverError(() => client.query(query))
}

/** Begins a transaction. Resolves to the milliseconds that are then left. */
async function begin(client: PoolClient, isSnapshot: boolean, deadline: Deadline): Promise<number> {
  // Plans long reads for their values: a rare search term needs another plan than a frequent one.
  const mode = isSnapshot
    ? 'ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan'
    : 'ISOLATION LEVEL READ COMMITTED'
  const limits = `SET LOCAL statement_timeout = ${leftUntil(deadline)};
    SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`
  await send(client, `BEGIN ${mode}; ${limits}`, deadline)
  return msUntil(deadline)
}

/**
 * Commits unless more milliseconds than that have passed since the transaction began, by the server's clock: it began before
 * they were counted, so this is never later than the deadline. The check and the commit are one message: this process may be
 * stopped between two messages, and would then commit after the deadline. The error is that of a statement's time limit.
 */
const commitWithin = (ms: number): string => `DO $$ BEGIN
  IF clock_timestamp() >= transaction_timestamp() + ${ms} * interval '1 millisecond' THEN
    RAISE EXCEPTION USING ERRCODE = '${sqlStates.queryCanceled}', MESSAGE = 'The deadline of the call has passed.';
  END IF;
END $$; COMMIT`

/** Parses bigint as a number: counts and sequence numbers stay within the safe integers. Leaves JSON as a text. */
const parsersOf = ({ builtins, getTypeParser }: typeof import('pg').types) => ({
  getTypeParser(oid: number, format?: 'text') {
    if (oid === builtins.INT8) return Number
    return oid === builtins.JSON ? String : getTypeParser(oid, format)
  },
})

function explainMissing(cause: unknown): never {
  throw new Error('A PostgreSQL database needs the package pg: run "npm install pg" beside natter.', { cause })
}
