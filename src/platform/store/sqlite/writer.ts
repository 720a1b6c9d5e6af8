import type { DatabaseSync } from 'node:sqlite'
import { monotonicMs, requireBefore } from '../callContext.ts'
import { type CallMethod, type StoreCall, type StoreReply, toCallError } from './thread.ts'

/**
 * Runs calls in order, and commits all waiting calls together (group commit), so that they share one wait for the disk.
 * If there are several, each has a savepoint, so that one that fails undoes only itself. Responses are sent after the
 * commit. The methods await nothing but statements, which are ready at once, so no other event comes between two of them.
 */
export function createWriter(db: DatabaseSync, callMethod: CallMethod, reply: (message: StoreReply) => void) {
  const waiting: StoreCall[] = []
  let isScheduled = false

  async function execute(call: StoreCall): Promise<StoreReply> {
    // Checked inside the transaction: its beginning may have waited for another process, or this process was stopped.
    requireBefore(call.deadline)
    const value = await callMethod(call)
    // The caller of a call that took too long has received an error: the write must be undone.
    requireBefore(call.deadline)
    return { id: call.id, value }
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

  async function commitWaiting(): Promise<void> {
    const calls = waiting.splice(0)
    isScheduled = false
    // Upserts can take long: the others are answered before them.
    const isUpsert = ({ method }: StoreCall): boolean => method === 'upsertContacts'
    for (const together of [calls.filter(call => !isUpsert(call)), calls.filter(isUpsert)])
      for (const message of together.length > 0 ? await runTogether(together) : []) reply(message)
  }

  return {
    run(call: StoreCall): void {
      waiting.push(call)
      // Lets calls that have arrived meanwhile join the commit.
      if (!isScheduled) setImmediate(commitWaiting)
      isScheduled = true
    },
    /** Runs the calls that still wait. */
    finish: commitWaiting,
  }
}
