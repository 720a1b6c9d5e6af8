import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { createAdmission, type StartCall } from '../admission.ts'
import { type Deadline, timeLimitOf } from '../deadline.ts'
import { createFairQueue } from '../fairQueue.ts'
import { isLargeUpsert } from '../queries/contacts.ts'
import { methodsOf } from '../queries/methods.ts'
import { currentCall } from '../requestContext.ts'
import { runInBatches } from '../runInBatches.ts'
import { defaultSearchLimits, type SearchLimits } from '../searchLimits.ts'
import { type Store, StoreBusyError, StoreUnavailableError } from '../store.ts'
import { type DatabaseOptions, openDatabase, toStoreError } from './connection.ts'
import { createDatabase } from './database.ts'
import { sqliteDialect } from './dialect.ts'
import { migrate } from './migrations.ts'
import { createStoreThread } from './thread.ts'

export interface SqliteStoreOptions {
  /**
   * The path of the database, which is created if missing, or `:memory:` for one that ends with the process. That is a
   * file in the system's folder for temporary files: a process that is killed leaves it there.
   */
  file: string
  /** How long a write waits for another process's write; default 5000. */
  busyTimeoutMs?: number
  /** The time limit of most calls; default 5000. An upsert has six times that. */
  timeoutMs?: number
  /** When a search uses the index; for tests. */
  searchLimits?: SearchLimits
}

/** How many searches, lists and exports of an organization can wait, and how many of all. */
const maxReadsWaiting = 100
const maxReadsWaitingOfAll = 2_000
/**
 * How many writes the writer gets at the same time: enough for many to share a commit, and few enough that the next
 * organization does not wait for long.
 */
const maxConcurrentWrites = 256

type Methods = ReturnType<typeof methodsOf>
type QueuedRead = 'searchContacts' | 'listContacts' | 'listConversations' | 'exportContact'

/**
 * The embedded store, on SQLite. Point reads take microseconds and run in this thread. Searches and lists run in a reader
 * thread, which serves organizations in rotation; short reads that would hold the main thread up run in another. All writes run in one writer thread, which commits waiting writes
 * together.
 */
export async function createSqliteStore({
  file,
  busyTimeoutMs = 5000,
  timeoutMs,
  searchLimits = defaultSearchLimits,
}: SqliteStoreOptions): Promise<Store> {
  const temporary = file === ':memory:' ? createTemporaryFile() : undefined
  const database = { file: temporary ?? file, busyTimeoutMs, durable: !temporary }
  const db = open(database)
  const reads = methodsOf(createDatabase(db), sqliteDialect())
  const pingStatement = db.prepare('SELECT 1 FROM bots LIMIT 1')
  const startThread = (role: 'writer' | 'reader') => createStoreThread({ role, database, limits: searchLimits })
  const writerThread = startThread('writer')
  // A search can take seconds. The sweep and file parts do not wait for it: revoked tokens must end their streams.
  const [searchReader, quickReader] = [startThread('reader'), startThread('reader')]
  const readQueue = createFairQueue({
    name: 'reads',
    maxWaiting: maxReadsWaiting,
    maxWaitingOfAll: maxReadsWaitingOfAll,
    FullError: StoreBusyError,
  })
  const writes = createAdmission(maxConcurrentWrites)
  const limitOf = (method: keyof Store): number => timeLimitOf(method, timeoutMs)
  const callDeadlineOf = (method: keyof Store): Deadline => currentCall(limitOf(method)).deadline
  let closing: Promise<void> | undefined
  // Otherwise the time that the thread needs to start would count for the first write. It also continues its maintenance.
  await writerThread.start().catch(error => {
    db.close()
    throw error
  })

  function read<Name extends keyof Methods & keyof Store>(name: Name): Store[Name] {
    const method = reads[name] as (...args: unknown[]) => unknown
    return ((...args: unknown[]) => readHere(() => method(...args))) as Store[Name]
  }
  async function readHere<Result>(run: () => Result): Promise<Awaited<Result>> {
    if (closing) throw new StoreUnavailableError('The store is closed.')
    try {
      return await run()
    } catch (error) {
      throw toStoreError(db, error)
    }
  }
  function write<Name extends keyof Store & keyof Methods>(name: Name): Store[Name] {
    const limitMs = limitOf(name)
    const run = (...args: unknown[]) => writes.run(limitMs, deadline => writerThread.call(name, args, deadline))
    return run as Store[Name]
  }
  function upsertContacts(...args: Parameters<Store['upsertContacts']>): ReturnType<Store['upsertContacts']> {
    const isLarge = isLargeUpsert(args[1])
    const start: StartCall<unknown> = deadline => writerThread.call('upsertContacts', args, deadline, isLarge)
    return writes.run(limitOf('upsertContacts'), start, isLarge) as ReturnType<Store['upsertContacts']>
  }
  function queuedRead<Name extends QueuedRead>(name: Name): Store[Name] {
    const run = (...args: Parameters<Store[Name]>) => {
      const deadline = callDeadlineOf(name)
      return readQueue.run(args[0].organizationId, deadline, () => searchReader.call(name, args, deadline))
    }
    return run as Store[Name]
  }

  async function close(): Promise<void> {
    await Promise.all([writerThread, searchReader, quickReader].map(thread => thread.close()))
    db.close()
    if (temporary) removeTemporaryFile(temporary)
  }

  return {
    createOrganization: write('createOrganization'),
    listOrganizations: read('listOrganizations'),
    createBot: write('createBot'),
    listBots: read('listBots'),
    findBot: read('findBot'),
    updateBot: write('updateBot'),
    setVisitors: write('setVisitors'),
    createOrganizationToken: write('createOrganizationToken'),
    listOrganizationTokens: read('listOrganizationTokens'),
    findOrganizationToken: read('findOrganizationToken'),
    touchOrganizationToken: write('touchOrganizationToken'),
    revokeOrganizationTokens: write('revokeOrganizationTokens'),
    createContact: write('createContact'),
    findContact: read('findContact'),
    findContactByEmail: read('findContactByEmail'),
    findContactAttributes: read('findContactAttributes'),
    setContactAttributes: write('setContactAttributes'),
    updateContact: write('updateContact'),
    upsertContacts,
    searchContacts: queuedRead('searchContacts'),
    listContacts: queuedRead('listContacts'),
    deleteContact: write('deleteContact'),
    exportContact: queuedRead('exportContact'),
    createContactSession: write('createContactSession'),
    createVisitorSession: write('createVisitorSession'),
    findSession: read('findSession'),
    extendSession: write('extendSession'),
    endSession: write('endSession'),
    endContactSessions: write('endContactSessions'),
    appendVisitorMessage: write('appendVisitorMessage'),
    listMessages: read('listMessages'),
    listMessagesWithContext: read('listMessagesWithContext'),
    listMessagesAfter: read('listMessagesAfter'),
    listMessagesChangedAfter: read('listMessagesChangedAfter'),
    findConversation: read('findConversation'),
    listConversations: queuedRead('listConversations'),
    findBotConversation: read('findBotConversation'),
    appendAgentMessage: write('appendAgentMessage'),
    handBack: write('handBack'),
    removeMessage: write('removeMessage'),
    requestHandover: write('requestHandover'),
    expireHandovers: write('expireHandovers'),
    rateMessage: write('rateMessage'),
    markRead: write('markRead'),
    beginUpload: write('beginUpload'),
    appendUpload: write('appendUpload'),
    completeUpload: write('completeUpload'),
    cancelUpload: write('cancelUpload'),
    deleteUpload: write('deleteUpload'),
    findFile: read('findFile'),
    // Not on the main thread, which all other requests need.
    readFilePart: (...part) =>
      quickReader.call('readFilePart', part, callDeadlineOf('readFilePart')) as ReturnType<Store['readFilePart']>,
    leaseTurns: write('leaseTurns'),
    renewTurns: write('renewTurns'),
    stopTurn: write('stopTurn'),
    giveBackTurn: write('giveBackTurn'),
    completeTurn: write('completeTurn'),
    endTurn: write('endTurn'),
    leaseDeliveries: write('leaseDeliveries'),
    recordPresence: write('recordPresence'),
    enqueueUnreadNotices: write('enqueueUnreadNotices'),
    endDelivery: write('endDelivery'),
    postponeDelivery: write('postponeDelivery'),
    sweep: live => quickReader.call('sweep', [live], callDeadlineOf('sweep')) as ReturnType<Store['sweep']>,
    purge: limits =>
      runInBatches({
        isBusy: () => writes.pending > 0,
        runBatch: async () => Boolean(await writerThread.call('purgeSome', [limits], callDeadlineOf('purge'))),
      }),
    queueDepth: () => writes.pending + readQueue.waiting + searchReader.pending + quickReader.pending,
    async ping() {
      await readHere(() => pingStatement.get())
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

function open(database: DatabaseOptions): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    mkdirSync(dirname(database.file), { recursive: true })
    db = openDatabase(database)
    migrate(db)
    return db
  } catch (cause) {
    db?.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreUnavailableError(`Cannot open the database ${database.file}: ${reason}`, { cause })
  }
}

const temporaryFiles = new Set<string>()
let removesAtExit = false

function createTemporaryFile(): string {
  if (!removesAtExit) process.once('exit', () => temporaryFiles.forEach(removeTemporaryFile))
  removesAtExit = true
  const path = join(mkdtempSync(join(tmpdir(), 'natter-')), 'natter.db')
  temporaryFiles.add(path)
  return path
}

function removeTemporaryFile(path: string): void {
  temporaryFiles.delete(path)
  rmSync(dirname(path), { recursive: true, force: true })
}
