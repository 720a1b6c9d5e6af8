import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { createAdmission, limitLongCalls, longReads, runInBatches } from '../admission.ts'
import { currentCall } from '../callContext.ts'
import { defaultStoreLimits, type StoreLimits } from '../database.ts'
import { methodsOf } from '../queries/methods.ts'
import { cannotOpen, type Store, StoreUnavailableError } from '../store.ts'
import { createDatabase, type DatabaseOptions, openDatabase, toStoreError } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { migrate } from './migrations.ts'
import { createStoreThread, type StoreThread, type StoreWorker, type WorkerSetup } from './thread.ts'

export interface SqliteStoreOptions {
  /**
   * The path of the database, which is created if missing, or `:memory:` for one that ends with the process. That is a
   * file in the system's folder for temporary files: a process that is killed leaves it there.
   */
  file: string
  /** How long a write waits for another process's write; default 5000. */
  busyTimeoutMs?: number
  /** For tests. */
  limits?: StoreLimits
  /** Starts a thread; for tests. @internal */
  createWorker?: (setup: WorkerSetup) => StoreWorker
}

/**
 * How many writes the writer gets at the same time: enough for many to share a commit, and few enough that the next
 * organization does not wait for long.
 */
const maxConcurrentWrites = 256

/** Short reads that would hold the main thread up. */
const quickReads: ReadonlySet<string> = new Set<keyof Store>(['sweep', 'readFilePart', 'readContactData'])
/** The names of reads that take microseconds, apart from long ones. */
const pointRead = /^(?:find|list)/

type Method = (...args: unknown[]) => unknown

/**
 * The embedded store, on SQLite. Point reads run in this thread. Long reads (`longReads`) run in a reader thread; short reads
 * that would hold the main thread up run in another: revoked tokens must end their streams whatever is searched. All writes
 * run in one writer thread, which commits waiting writes together.
 */
export async function createSqliteStore({
  file,
  busyTimeoutMs = 5000,
  limits = defaultStoreLimits,
  createWorker,
}: SqliteStoreOptions): Promise<Store> {
  const temporary = file === ':memory:' ? createTemporaryFile() : undefined
  const database = { file: temporary ?? file, busyTimeoutMs, durable: !temporary }
  const db = open(database)
  const { purgeSome: _, ...methods } = methodsOf(createDatabase(db), sqliteDialect(limits))
  const startThread = (role: 'writer' | 'reader') => createStoreThread({ role, database, limits }, createWorker)
  const writer = startThread('writer')
  const [searchReader, quickReader] = [startThread('reader'), startThread('reader')]
  const writes = createAdmission(maxConcurrentWrites)
  let closing: Promise<void> | undefined
  // Otherwise the time that the thread needs to start would count for the first write. It also truncates the log that a
  // killed process has left.
  await writer.start().catch(error => {
    db.close()
    throw error
  })

  const callOf =
    (thread: StoreThread, name: string) =>
    (...args: unknown[]) =>
      thread.call(name, args, currentCall().deadline)

  async function readHere<Result>(run: () => Result): Promise<Awaited<Result>> {
    if (closing) throw new StoreUnavailableError('The store is closed.')
    try {
      return await run()
    } catch (error) {
      throw toStoreError(db, error)
    }
  }

  /** The method as it runs in its thread. What is not known as a read may write; connections for reads refuse writes. */
  function inItsThread(name: string, method: Method): Method {
    if (longReads.some(read => read === name)) return callOf(searchReader, name)
    if (quickReads.has(name)) return callOf(quickReader, name)
    if (pointRead.test(name)) return (...args) => readHere(() => method(...args))
    return (...args) => writes.run(deadline => writer.call(name, args, deadline))
  }

  async function close(): Promise<void> {
    await Promise.all([writer, searchReader, quickReader].map(thread => thread.close()))
    db.close()
    if (temporary) rmSync(temporary, { force: true })
  }

  const entries = Object.entries(methods) as [string, Method][]
  const inTheirThreads = Object.fromEntries(entries.map(([name, method]) => [name, inItsThread(name, method)]))
  const purgeSome = callOf(writer, 'purgeSome')
  const ping = db.prepare('SELECT 1 FROM bots LIMIT 1')
  return limitLongCalls(
    {
      ...(inTheirThreads as unknown as typeof methods),
      purge: cutoffs =>
        runInBatches(
          async () => Boolean(await purgeSome(cutoffs)),
          () => writer.pending > 0,
        ),
      async startReaders() {
        await Promise.all([searchReader.start(), quickReader.start()])
      },
      async ping() {
        await readHere(() => ping.get())
      },
      queueDepth: () => writes.waiting + writer.pending + searchReader.pending + quickReader.pending,
      close() {
        closing ??= close()
        return closing
      },
    },
    // More would only wait for each other.
    { reads: 1, largeUpserts: 1 },
  )
}

/** Opens the connection of this thread, which only reads once the tables are there. */
function open(database: DatabaseOptions): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = openDatabase(database)
    migrate(db)
    db.exec('PRAGMA query_only = ON')
    return db
  } catch (cause) {
    db?.close()
    throw cannotOpen(database.file, cause)
  }
}

let temporaryFolder: string | undefined

function createTemporaryFile(): string {
  if (temporaryFolder === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'natter-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    temporaryFolder = folder
  }
  return join(temporaryFolder, `${randomUUID()}.db`)
}
