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
  maintenance: Maintenance
  reply(message: StoreReply): void
  /** Calls `run` after the writer has been idle; returns a function that cancels it. */
  afterIdle?: (run: () => void, ms: number) => () => void
}

/**
 * Runs calls in order, and commits all waiting calls together (group commit), so that they share one wait for the disk.
 * If there are several, each has a savepoint, so that one that fails undoes only itself. Responses are sent after the
 * commit. The methods await nothing but statements, which are ready at once, so no other event comes between two of them.
 * A large upsert has a commit of its own, after the calls that wait. Maintenance runs when the writer is idle, or between commits if it has a backlog.
 */
export function createWriter({ db, methods, maintenance, reply, afterIdle = whenIdle }: WriterParts): Runner {
  const callMethod = createMethodCaller(methods)
  const ordinaryCalls: StoreCall[] = []
  const largeUpserts: StoreCall[] = []
  let isScheduled = false
  let isFinished = false
  let cancelIdle = (): void => {}

  async function execute({ id, method, args, deadline }: StoreCall): Promise<StoreReply> {
    // Checked inside the transaction: its beginning may have waited for another process, or this process was stopped.
    requireBefore(deadline)
    const value = await callMethod(method, args)
    // The caller of a call that took too long has received an error: the write must be undone.
    requireBefore(deadline)
    return { id, value }
  }

  async function executeWithSavepoint(call: StoreCall): Promise<StoreReply> {
    db.exec('SAVEPOINT one')
    try {
      const answer = await execute(call)
      db.exec('RELEASE one')
      return answer
    } catch (error) {
      // Errors such as a full disk end the whole transaction.
      if (!db.isTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      return { id: call.id, error: toCallError(db, error) }
    }
  }

  async function runTogether(calls: StoreCall[]): Promise<StoreReply[]> {
    try {
      db.exec('BEGIN IMMEDIATE')
      // A single call needs no savepoint, which would cost an upsert a third of its time.
      const replies: StoreReply[] = []
      for (const call of calls) replies.push(await (calls.length > 1 ? executeWithSavepoint(call) : execute(call)))
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

  async function commit(calls: StoreCall[]): Promise<void> {
    if (calls.length > 0) for (const message of await runTogether(calls)) reply(message)
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

  /** Commits what waits: ordinary calls first, then one large upsert or a step of maintenance. */
  async function runStep(): Promise<void> {
    if (isFinished) return
    await commit(ordinaryCalls.splice(0, maxTogether))
    // Without this, the log could grow for as long as the writer is never idle.
    if (!ignoringErrors(maintenance.hasBacklog) || !runMaintenance()) await commit(largeUpserts.splice(0, 1))
    cancelIdle()
    // Only now: no other step may begin within a transaction.
    isScheduled = false
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
    async finish() {
      // A step that is still scheduled would find the database closed.
      isFinished = true
      cancelIdle()
      while (ordinaryCalls.length > 0) await commit(ordinaryCalls.splice(0, maxTogether))
      while (largeUpserts.length > 0) await commit(largeUpserts.splice(0, 1))
      ignoringErrors(maintenance.finish)
    },
  }
}

function whenIdle(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
