import type { DatabaseSync } from 'node:sqlite'
import { toStoreError } from './connection.ts'
import type { Indexer } from './indexer.ts'
import type { Call, Reply, Runner } from './thread.ts'
import { toCallError } from './thread.ts'

/** Bounds what waits for one commit. */
const maxTogether = 1000
/** An upsert of more entries has a commit of its own, which others do not wait for if they can go first. */
const heavyFrom = 100

/**
 * Runs calls one after the other, and those that wait at the same moment in one commit: one wait for the disk serves
 * all. Each has a savepoint of its own, so that one that fails undoes only itself; nothing is answered before the commit.
 * When nothing waits the indexer works, and when it is behind, between one heavy call and the next.
 */
export function createWriter(
  db: DatabaseSync,
  methods: object,
  reply: (message: Reply) => void,
  indexer: Indexer,
): Runner {
  const table = new Map<string, (...args: unknown[]) => unknown>(Object.entries(methods))
  const light: Call[] = []
  const heavy: Call[] = []
  let isScheduled = false

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
      return { id, error: toCallError(db, error) }
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
      return calls.map(({ id }) => ({ id, error: toCallError(db, error) }))
    }
  }

  function commit(calls: Call[]): void {
    if (calls.length > 0) for (const message of runTogether(calls)) reply(message)
  }

  function index(): boolean {
    try {
      return indexer.step()
    } catch (error) {
      // The next write finds the same, and says so to somebody.
      toStoreError(db, error)
      return false
    }
  }

  function turn(): void {
    isScheduled = false
    const isIdle = light.length === 0 && heavy.length === 0
    commit(light.splice(0, maxTogether))
    // Else contacts could come faster than they are indexed, for ever.
    if (heavy.length > 0 && !(indexer.isBehind() && index())) commit(heavy.splice(0, 1))
    if (!isIdle || index()) schedule()
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    // What else has arrived is handed over before it runs.
    setImmediate(turn)
  }

  // Goes on with what an earlier process has left.
  schedule()
  return {
    run(call) {
      const [, entries] = call.args
      const isHeavy = Array.isArray(entries) && entries.length > heavyFrom
      ;(isHeavy ? heavy : light).push(call)
      schedule()
    },
    finish() {
      while (light.length > 0) commit(light.splice(0, maxTogether))
      while (heavy.length > 0) commit(heavy.splice(0, 1))
    },
  }
}
