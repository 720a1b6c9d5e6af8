import { setTimeout as pause } from 'node:timers/promises'
import type { Client as PgClient, Pool, PoolClient, QueryResultRow } from 'pg'
import { createAdmission, type StartCall } from '../admission.ts'
import { type Deadline, usualMs as defaultTimeoutMs, longFactor, monotonicMs, requireBefore } from '../deadline.ts'

import { OrganizationMovingError, StoreUnavailableError } from '../store.ts'
import { readAddress } from './address.ts'
import { sqlStates } from './sqlStates.ts'

/** Runs statements with values for `$1`, `$2` and so on. */
export interface Queries {
  all<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  one<Row extends object>(text: string, values?: unknown[]): Promise<Row | undefined>
}

/** `all` and `one` are for reads: each runs one statement by itself, which may still run after the caller has its answer. */
export interface Database extends Queries {
  /** Runs one statement that writes, in a transaction of its own. */
  write<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /**
   * Runs a transaction, and repeats it after a conflict; `attempt` counts from 1. `run` must have no effects outside the
   * transaction. What is not committed by the deadline is rolled back.
   */
  transact<Result>(
    run: (tx: Queries, attempt: number) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /** How many calls wait for a connection or a response. */
  readonly pending: number
  /** The maximum number of connections. */
  readonly connections: number
  close(): Promise<void>
}

export interface TransactionOptions {
  /** Read-only, and all reads see one snapshot. */
  isSnapshot?: boolean
  /** The time limit of a call that has no deadline of its own; default: that of ordinary calls. */
  timeoutMs?: number
  /** The organization of a long write, which waits in the queue of long writes. */
  longWriteOf?: string
}

/** Another transaction has written the same data. Repeating this one will find it. */
export class ConflictRetryError extends Error {
  override readonly name = 'ConflictRetryError'
}

/** For how long after the server's own time limit the client waits before it gives the connection up. */
const graceMs = 1_000
/** The server ends a transaction that is idle for so long, which releases the locks of a node that hangs. */
const idleMs = 10_000

/** Unique constraints that two concurrent transactions may violate. The second one is repeated. */
const racyConstraints = new Set<unknown>(['contacts_email', 'messages_id', 'conversations_of_contact'])

/** Statements fail after `timeoutMs`, unless a transaction sets its own limit. */
export async function connect(url: string, timeoutMs: number = defaultTimeoutMs): Promise<Database> {
  const { Client, Pool, types } = await loadDriver()
  /** Closes a connection that fails before the login. The driver leaves it open, which keeps the process alive. */
  class EndedClient extends Client {
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
    Client: EndedClient,
    connectionString,
    max,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + graceMs,
    keepAlive: true,
    application_name: 'natter',
    types: parsersOf(types),
  } as ConstructorParameters<typeof Pool>[0])
  // Ignores the loss of an idle connection: the next call gets another one.
  pool.on('error', () => {})
  // A connection can also fail while the pool hands it over. Without a listener the error would end the process.
  pool.on('connect', client => void client.on('error', () => {}))
  return createDatabase(pool, keepsStatements, timeoutMs)
}

function createDatabase(pool: Pool, keepsStatements: boolean, usualMs: number): Database {
  const names = new Map<string, string>()
  const running = new Set<Promise<unknown>>()
  const { max } = pool.options
  const admission = createAdmission({
    // Reserves a tenth for the platform's own calls. In the pool's queue they would wait behind all others.
    atOnce: Math.max(1, max - Math.ceil(max / 10)),
    longAtOnce: Math.max(1, Math.floor(max / 4)),
  })
  let closing: Promise<void> | undefined

  /** Statements are few and fixed: prepare each once per connection. */
  function nameOf(text: string): string {
    const name = names.get(text) ?? `natter_${names.size}`
    names.set(text, name)
    return name
  }

  function queriesOf(target: Pool | PoolClient, deadline: Deadline): Queries {
    async function all<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const name = keepsStatements ? { name: nameOf(text) } : {}
      const query = { text, values, ...name, query_timeout: leftUntil(deadline) + graceMs }
      return (await mapDriverError(() => target.query<QueryResultRow>(query))).rows as Row[]
    }
    return { all, one: async (text, values) => (await all(text, values))[0] as never }
  }

  async function runTransaction<Result>(
    run: (tx: Queries) => Promise<Result>,
    isSnapshot: boolean,
    deadline: Deadline,
  ): Promise<Result> {
    const mode = isSnapshot ? ' ISOLATION LEVEL REPEATABLE READ READ ONLY' : ' ISOLATION LEVEL READ COMMITTED'
    const client = await mapDriverError(() => pool.connect())
    let isBegun = false
    let isBroken = false
    try {
      requireBefore(deadline)
      const limits = { statement_timeout: leftUntil(deadline), idle_in_transaction_session_timeout: idleMs }
      // Plans long reads for their values: a rare search term needs another plan than a frequent one.
      const wanted = isSnapshot ? { ...limits, plan_cache_mode: 'force_custom_plan' } : limits
      const settings = Object.entries(wanted).map(([name, value]) => `; SET LOCAL ${name} = ${value}`)
      isBegun = true
      const begun = await mapDriverError(() => client.query(`BEGIN${mode}${settings.join('')}; ${selectTime}`))
      // The server read its clock before its response arrived, so this is never later than the deadline.
      const serverDeadline = timeOf(begun) + deadline - monotonicMs()
      const result = await run(queriesOf(client, deadline))
      await mapDriverError(() => client.query(isSnapshot ? 'COMMIT' : commitBefore(serverDeadline)))
      return result
    } catch (error) {
      // Drops the connection if a response is missing: the next response on it would belong to the previous query. Also
      // drops it if the server is read-only, since another server has taken its place.
      const isLeft = error instanceof StoreUnavailableError || codeOf(error) === sqlStates.readOnlyTransaction
      if (isBegun) isBroken = isLeft || (await client.query('ROLLBACK').then(isNot, is))
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  async function retry<Result>(run: (attempt: number) => Promise<Result>, deadline: Deadline): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(attempt)
      } catch (error) {
        const pauseMs = Math.random() * Math.min(200, 5 * 2 ** attempt)
        if (!isRetryable(error) || monotonicMs() + pauseMs > deadline) throw toStoreError(error)
        await pause(pauseMs)
      }
    }
  }

  /** Tracks running calls, which `close` waits for. */
  async function track<Result>(call: () => Promise<Result>): Promise<Result> {
    if (closing) throw new StoreUnavailableError('The store is closed.')
    const tracked = call()
    running.add(tracked)
    try {
      return await tracked
    } finally {
      running.delete(tracked)
    }
  }

  const read = <Result>(run: (queries: Queries) => Promise<Result>): Promise<Result> =>
    track(() =>
      admission.short(usualMs, deadline =>
        retry(() => {
          requireBefore(deadline)
          return run(queriesOf(pool, deadline))
        }, deadline),
      ),
    )
  function transact<Result>(
    run: (tx: Queries, attempt: number) => Promise<Result>,
    { isSnapshot = false, timeoutMs = usualMs, longWriteOf }: TransactionOptions = {},
  ): Promise<Result> {
    const start: StartCall<Result> = deadline =>
      retry(attempt => runTransaction(tx => run(tx, attempt), isSnapshot, deadline), deadline)
    return track(() =>
      longWriteOf === undefined
        ? admission.short(timeoutMs, start)
        : admission.long(longWriteOf, usualMs * longFactor, start),
    )
  }

  return {
    all: (text, values) => read(queries => queries.all(text, values)),
    one: (text, values) => read(queries => queries.one(text, values)),
    write: (text, values) => transact(tx => tx.all(text, values)),
    transact,
    get pending() {
      return admission.pending
    },
    connections: max,
    close() {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

const leftUntil = (deadline: Deadline): number => Math.max(1, Math.ceil(deadline - monotonicMs()))

const selectTime = 'SELECT extract(epoch FROM clock_timestamp())::float * 1000 AS ms'

/** The time that the last of several statements selects. */
function timeOf(results: unknown): number {
  const last = (results as { rows: { ms: number }[] }[]).at(-1)
  return last?.rows[0]?.ms ?? Number.NaN
}

/**
 * Commits unless it is later than `serverMs` by the server's clock. The check and the commit are one message: this
 * process may be stopped between two messages, and would then commit after the deadline.
 * The error is that of a statement's time limit.
 */
const commitBefore = (serverMs: number): string => `DO $$ BEGIN
  IF clock_timestamp() >= to_timestamp(${serverMs / 1000}) THEN
    RAISE EXCEPTION USING ERRCODE = '${sqlStates.queryCanceled}', MESSAGE = 'The deadline of the call has passed.';
  END IF;
END $$; COMMIT`

const is = (): boolean => true
const isNot = (): boolean => false

/** Maps errors that do not come from the server to `StoreUnavailableError`: the server does not answer. */
export async function mapDriverError<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const needsPassword = /password must be a string/.test(reason)
    const message = needsPassword
      ? 'PostgreSQL requires a password: set it in the address or in PGPASSWORD.'
      : `PostgreSQL does not answer: ${reason}`
    throw new StoreUnavailableError(message, { cause: error })
  }
}

/** The SQLSTATE of an error from the server. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined
}

/** Whether the statement's time limit has passed. */
export const isTimeout = (error: unknown): boolean => codeOf(error) === sqlStates.queryCanceled

function isRetryable(error: unknown): boolean {
  if (error instanceof ConflictRetryError) return true
  const code = codeOf(error)
  const isTaken =
    code === sqlStates.uniqueViolation && racyConstraints.has((error as { constraint?: string }).constraint)
  return isTaken || retryableCodes.has(code ?? '')
}

const retryableCodes: ReadonlySet<string> = new Set([
  sqlStates.serializationFailure,
  sqlStates.deadlockDetected,
  // Of NOWAIT.
  sqlStates.lockNotAvailable,
  // A connection may be free soon.
  sqlStates.tooManyConnections,
])

// Classes of codes: connection, authorization, resources, operator intervention, system, conflicts of transactions.
// Single codes: a server that became read-only, timeouts of idle transactions and of locks.
const unavailable = /^(08|28|3D|40|53|57|58|25006|25P0[34]|55P03|XX)/

function toStoreError(error: unknown): unknown {
  if (codeOf(error) === sqlStates.organizationMoving)
    return new OrganizationMovingError((error as Error).message, { cause: error })
  // A retryable error arrives here when no time is left for another attempt.
  const isUnavailable = isRetryable(error) || unavailable.test(codeOf(error) ?? '')
  return isUnavailable ? new StoreUnavailableError((error as Error).message, { cause: error }) : error
}

/** Parses bigint as a number: counts and sequence numbers stay within the safe integers. */
export const parsersOf = (types: typeof import('pg').types) => ({
  getTypeParser: (oid: number, format?: 'text') => (oid === 20 ? Number : types.getTypeParser(oid, format)),
})

export const loadDriver = async () => (await import('pg').catch(explainMissing)).default

function explainMissing(cause: unknown): never {
  throw new Error('A PostgreSQL database needs the package pg: run "npm install pg" beside natter.', { cause })
}
