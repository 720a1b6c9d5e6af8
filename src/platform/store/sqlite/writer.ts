import type { DatabaseSync } from 'node:sqlite'
import { monotonicMs, requireBefore } from '../deadline.ts'
import { toStoreError } from './connection.ts'
import type { Maintenance } from './maintenance.ts'
import { createMethodCaller } from './methodCaller.ts'
import type { Runner, StoreCall, StoreReply } from './thread.ts'
import { toCallError } from './thread.ts'

/** The most calls in one commit. */
const maxTogether = 1000
/** How often pending maintenance is checked. */
const checkEveryMs = 1_000
/**
 * How long the writer must be idle before maintenance, so that a client that writes in sequence does not wait for it
 * each time.
 */
const idleMs = 20

export interface WriterParts {
  db: DatabaseSync
  methods: object
  /** Does the part of a large upsert that needs no transaction. */
  prepareUpsert: (...args: never[]) => void
  maintenance: Maintenance
  reply(message: StoreReply): void
  /** Calls `run` after the writer has been idle; returns a function that cancels it. */
  afterIdle?: (run: () => void, ms: number) => () => void
}

/**
 * Runs calls in order, and commits all waiting calls together (group commit), so that they share one wait for the disk.
 * If there are several, each has a savepoint, so that one that fails undoes only itself. Responses are sent after the
 * commit. A large upsert is prepared first, and then has a commit of its own; the calls that wait go before each of the
 * two. Maintenance runs when the writer is idle, or between commits if it has a backlog.
 */
export function createWriter({
  db,
  methods,
  prepareUpsert,
  maintenance,
  reply,
  afterIdle = whenIdle,
}: WriterParts): Runner {
  const callMethod = createMethodCaller(methods)
  const ordinaryCalls: StoreCall[] = []
  const largeUpserts: StoreCall[] = []
  let isUpsertPrepared = false
  let isScheduled = false
  let isFinished = false
  let cancelIdle = (): void => {}

  function execute({ id, method, args, deadline }: StoreCall): StoreReply {
    // Checked inside the transaction: its beginning may have waited for another process, or this process was stopped.
    requireBefore(deadline)
    const value = callMethod(method, args)
    // The caller of a call that took too long has received an error: the write must be undone.
    requireBefore(deadline)
    return { id, value }
  }

  function executeWithSavepoint(call: StoreCall): StoreReply {
    db.exec('SAVEPOINT one')
    try {
      const answer = execute(call)
      db.exec('RELEASE one')
      return answer
    } catch (error) {
      // Errors such as a full disk end the whole transaction.
      if (!db.isTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      return { id: call.id, error: toCallError(db, error) }
    }
  }

  function runTogether(calls: StoreCall[]): StoreReply[] {
    try {
      db.exec('BEGIN IMMEDIATE')
      // A single call needs no savepoint, which would cost an upsert a third of its time.
      const replies = calls.map(calls.length > 1 ? executeWithSavepoint : execute)
      const now = monotonicMs()
      const hasLate = calls.some(({ deadline }, index) => deadline < now && 'value' in (replies[index] ?? {}))
      if (!hasLate) {
        db.exec('COMMIT')
        return replies
      }
      db.exec('ROLLBACK')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      return calls.map(({ id }) => ({ id, error: toCallError(db, error) }))
    }
    // While later calls ran, the deadline of one that had finished has passed. Its savepoint is released, so run all
    // again: that call is refused this time, and one more at least each time.
    return runTogether(calls)
  }

  function commit(calls: StoreCall[]): void {
    if (calls.length > 0) for (const message of runTogether(calls)) reply(message)
  }

  /** Runs a step of the first large upsert: preparation or commit. Other calls wait for one step at most. */
  function advanceLargeUpsert(): void {
    const [upsert] = largeUpserts
    if (!upsert) return
    if (isUpsertPrepared) commit(largeUpserts.splice(0, 1))
    else ignoringErrors(() => prepareUpsert(...(upsert.args as never[])))
    isUpsertPrepared = !isUpsertPrepared
  }

  function runMaintenance(): boolean {
    return ignoringErrors(maintenance.step) ?? false
  }

  /** Ignores errors: the next write fails the same way, and reports it to its caller. */
  function ignoringErrors<Result>(run: () => Result): Result | undefined {
    try {
      return run()
    } catch (error) {
      toStoreError(db, error)
      return undefined
    }
  }

  /** Commits what waits: ordinary calls first, then a step of a large upsert or of maintenance. */
  function runStep(): void {
    isScheduled = false
    if (isFinished) return
    commit(ordinaryCalls.splice(0, maxTogether))
    // Without this, contacts could forever be added faster than they are indexed.
    if (!ignoringErrors(maintenance.hasBacklog) || !runMaintenance()) advanceLargeUpsert()
    cancelIdle()
    if (ordinaryCalls.length > 0 || largeUpserts.length > 0) schedule()
    else cancelIdle = afterIdle(maintainWhileIdle, idleMs)
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    // Lets calls that have arrived meanwhile join the commit.
    setImmediate(runStep)
  }

  /** Stops when a call arrives: that call schedules maintenance again. */
  function maintainWhileIdle(): void {
    if (isScheduled || isFinished) return
    if (runMaintenance()) setImmediate(maintainWhileIdle)
    else if (ignoringErrors(maintenance.isWaiting)) cancelIdle = afterIdle(maintainWhileIdle, checkEveryMs)
  }

  // Continue the maintenance that an earlier process has left.
  schedule()
  return {
    run(call) {
      const queue = call.isLargeUpsert ? largeUpserts : ordinaryCalls
      queue.push(call)
      schedule()
    },
    finish() {
      // A step that is still scheduled would find the database closed.
      isFinished = true
      cancelIdle()
      while (ordinaryCalls.length > 0) commit(ordinaryCalls.splice(0, maxTogether))
      while (largeUpserts.length > 0) commit(largeUpserts.splice(0, 1))
      ignoringErrors(maintenance.finish)
    },
  }
}

function whenIdle(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
