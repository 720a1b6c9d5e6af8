import type { DatabaseSync } from 'node:sqlite'
import type { Call, Reply, Runner } from './thread.ts'
import { toCallError } from './thread.ts'

/** Bounds what waits for one commit; an upsert counts as its entries. */
const maxWeight = 1000

/**
 * Runs calls one after the other, and those that wait at the same moment in one commit: one wait for the disk serves
 * all. Each has a savepoint of its own, so that one that fails undoes only itself; nothing is answered before the commit.
 */
export function createWriter(db: DatabaseSync, methods: object, reply: (message: Reply) => void): Runner {
  const table = new Map<string, (...args: unknown[]) => unknown>(Object.entries(methods))
  const waiting: Call[] = []

  function runOne({ id, method, args }: Call): Reply {
    db.exec('SAVEPOINT one')
    try {
      const value = table.get(method)?.(...args)
      db.exec('RELEASE one')
      return { id, value }
    } catch (error) {
      // A full disk and the like end the whole transaction, and with it every write in it.
      if (!db.isTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      return { id, error: toCallError(error) }
    }
  }

  function runTogether(calls: Call[]): Reply[] {
    try {
      db.exec('BEGIN IMMEDIATE')
      const replies = calls.map(runOne)
      db.exec('COMMIT')
      return replies
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      return calls.map(({ id }) => ({ id, error: toCallError(error) }))
    }
  }

  function flush(): void {
    if (waiting.length === 0) return
    const calls: Call[] = []
    for (let weight = 0; waiting.length > 0 && weight < maxWeight; ) {
      const call = waiting.shift() as Call
      weight += Array.isArray(call.args[1]) ? call.args[1].length : 1
      calls.push(call)
    }
    for (const message of runTogether(calls)) reply(message)
    if (waiting.length > 0) setImmediate(flush)
  }

  return {
    run(call) {
      // What else has arrived is handed over before setImmediate runs.
      if (waiting.push(call) === 1) setImmediate(flush)
    },
    finish() {
      while (waiting.length > 0) flush()
    },
  }
}
