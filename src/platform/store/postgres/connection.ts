import { setTimeout as pause } from 'node:timers/promises'
import type { Client as PgClient, Pool, PoolClient, QueryResultRow } from 'pg'
import { StoreUnavailableError } from '../store.ts'
import { readAddress } from './address.ts'

/** Runs statements, each with the values of its `$1`, `$2` and so on. */
export interface Queries {
  all<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  one<Row extends object>(text: string, values?: unknown[]): Promise<Row | undefined>
}

export interface Database extends Queries {
  /** Runs all of it or nothing; again from its start where others were in the way, so that it may have no other effect. */
  transact<Result>(run: (tx: Queries) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /** How many calls wait for a connection or an answer. */
  readonly pending: number
  /** How many connections there are at most. */
  readonly connections: number
  close(): Promise<void>
}

export interface TransactionOptions {
  /** Only reads, and all of it one state of the database. */
  isSnapshot?: boolean
  timeoutMs?: number
}

/** Another has written what this transaction is about: it begins anew, and then finds it. */
export class ConflictRetryError extends Error {
  override readonly name = 'ConflictRetryError'
}

export const longMs = 30_000
export const usualMs = 5_000
/** So much later the server must have given up by itself; it answers no more. */
const graceMs = 1_000
/** A node that hangs must not keep others from what it has locked. */
const idleMs = 10_000
const attempts = 12

/** What two transactions may want to be the first to write, where the second finds out by the index alone. */
const racyConstraints = new Set<unknown>(['contacts_email', 'messages_id', 'conversations_of_contact'])

/** What takes longer than `timeoutMs` is given up, but for what says otherwise. */
export async function connect(url: string, timeoutMs: number = usualMs): Promise<Database> {
  const { Client, Pool, types } = (await import('pg').catch(explainMissing)).default
  /** The driver leaves open what it gives up before it is logged in, and the process would wait for it to end. */
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
    // Counts and running numbers; none of them grows beyond what a number holds.
    types: {
      getTypeParser: (oid: number, format?: 'text') => (oid === 20 ? Number : types.getTypeParser(oid, format)),
    },
  } as ConstructorParameters<typeof Pool>[0])
  // A connection that is lost while nobody uses it; the next call gets another.
  pool.on('error', () => {})
  // The same where it is being handed on, when nobody else listens: the error would end the process.
  pool.on('connect', client => void client.on('error', () => {}))
  return createDatabase(pool, keepsStatements, timeoutMs)
}

function createDatabase(pool: Pool, keepsStatements: boolean, usualMs: number): Database {
  const names = new Map<string, string>()
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  /** Statements are few and fixed: each is planned once a connection. */
  function nameOf(text: string): string {
    const name = names.get(text) ?? `natter_${names.size}`
    names.set(text, name)
    return name
  }

  function queriesOf(target: Pool | PoolClient, timeoutMs = usualMs): Queries {
    async function all<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const name = keepsStatements ? { name: nameOf(text) } : {}
      const query = { text, values, ...name, query_timeout: timeoutMs + graceMs }
      return (await mapDriverError(() => target.query<QueryResultRow>(query))).rows as Row[]
    }
    return { all, one: async (text, values) => (await all(text, values))[0] as never }
  }

  async function runTransaction<Result>(
    run: (tx: Queries) => Promise<Result>,
    options: TransactionOptions,
  ): Promise<Result> {
    const { isSnapshot = false, timeoutMs = usualMs } = options
    const mode = isSnapshot ? ' ISOLATION LEVEL REPEATABLE READ READ ONLY' : ' ISOLATION LEVEL READ COMMITTED'
    const limits = { statement_timeout: timeoutMs, idle_in_transaction_session_timeout: idleMs }
    // What is read at length is planned for what is asked: a rare term wants another plan than a frequent one.
    const wanted = isSnapshot ? { ...limits, plan_cache_mode: 'force_custom_plan' } : limits
    const settings = Object.entries(wanted).map(([name, value]) => `; SET LOCAL ${name} = ${value}`)
    const client = await mapDriverError(() => pool.connect())
    let isBroken = true
    try {
      await mapDriverError(() => client.query(`BEGIN${mode}${settings.join('')}`))
      const result = await run(queriesOf(client, timeoutMs))
      await mapDriverError(() => client.query('COMMIT'))
      isBroken = false
      return result
    } catch (error) {
      // Where there was no answer, what the connection says next belongs to what was asked before. Where the server takes
      // no more writes, the next connection is to the one that has replaced it.
      const isLeft = error instanceof StoreUnavailableError || codeOf(error) === readOnly
      if (!isLeft) isBroken = await client.query('ROLLBACK').then(isNot, is)
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  async function retry<Result>(run: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run()
      } catch (error) {
        if (attempt === attempts || !isRetryable(error)) throw toStoreError(error)
        await pause(Math.random() * Math.min(200, 5 * 2 ** attempt))
      }
    }
  }

  /** Calls under way are waited for when the store is closed. */
  async function track<Result>(run: () => Promise<Result>): Promise<Result> {
    if (closing) throw new StoreUnavailableError('The store is closed.')
    const call = retry(run)
    running.add(call)
    try {
      return await call
    } finally {
      running.delete(call)
    }
  }

  const direct = queriesOf(pool)
  return {
    all: (text, values) => track(() => direct.all(text, values)),
    one: (text, values) => track(() => direct.one(text, values)),
    transact: (run, options = {}) => track(() => runTransaction(run, options)),
    get pending() {
      return running.size
    },
    connections: pool.options.max,
    close() {
      closing ??= Promise.allSettled(running).then(() => pool.end())
      return closing
    },
  }
}

const is = (): boolean => true
const isNot = (): boolean => false

/** An error that the server has not sent means that it does not answer. */
async function mapDriverError<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const needsPassword = /password must be a string/.test(reason)
    const message = needsPassword
      ? 'PostgreSQL asks for a password: put it into the address or PGPASSWORD.'
      : `PostgreSQL does not answer: ${reason}`
    throw new StoreUnavailableError(message, { cause: error })
  }
}

/** The SQLSTATE of an error that the server has sent. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined
}

function isRetryable(error: unknown): boolean {
  if (error instanceof ConflictRetryError) return true
  const code = codeOf(error)
  const isTaken = code === '23505' && racyConstraints.has((error as { constraint?: string }).constraint)
  // serialization_failure, deadlock_detected; too_many_connections: one of this node's may be free by then
  return isTaken || code === '40001' || code === '40P01' || code === '53300'
}

/** read_only_sql_transaction */
const readOnly = '25006'

// Connection, access, resources, operator, system; those of transactions that were in the way too often; read only, as
// a server is that has been replaced; a lock or a statement that took too long.
const unavailable = /^(08|28|3D|40|53|57|58|25006|25P0[34]|55P03|XX)/

function toStoreError(error: unknown): unknown {
  const isUnavailable = error instanceof ConflictRetryError || unavailable.test(codeOf(error) ?? '')
  return isUnavailable ? new StoreUnavailableError((error as Error).message, { cause: error }) : error
}

function explainMissing(cause: unknown): never {
  throw new Error('A PostgreSQL database needs the package pg: run "npm install pg" beside natter.', { cause })
}
