import type { DatabaseSync } from 'node:sqlite'
import { toStoreError } from './connection.ts'
import type { Maintenance } from './maintenance.ts'
import type { Runner, StoreCall, StoreReply } from './thread.ts'
import { toCallError } from './thread.ts'

/** Bounds what waits for one commit. */
const maxTogether = 1000
/** An upsert of more entries has a commit of its own, which others do not wait for if they can go first. */
const heavyFrom = 100
/** How often is looked what has to wait for its time. */
const checkEveryMs = 1_000
/** So long nothing must have come before the upkeep begins: else who writes one thing after the other waits for it each time. */
const idleMs = 20

export interface WriterParts {
  db: DatabaseSync
  methods: object
  /** By the method's name: what can be done of a heavy call before its transaction. */
  preparations: Record<string, (...args: never[]) => void>
  maintenance: Maintenance
  reply(message: StoreReply): void
  /** Calls `run` when nothing has come for a while; returns its undo. */
  afterIdle?: (run: () => void, ms: number) => () => void
}

/**
 * Runs calls one after the other, and those that wait at the same moment in one commit: one wait for the disk serves
 * all. Each has a savepoint of its own, so that one that fails undoes only itself; nothing is answered before the commit.
 * When nothing has come for a while it does the upkeep, and where that is behind, between one commit and the next.
 */
export function createWriter({
  db,
  methods,
  preparations,
  maintenance,
  reply,
  afterIdle = whenIdle,
}: WriterParts): Runner {
  const table = new Map<string, (...args: unknown[]) => unknown>(Object.entries(methods))
  const light: StoreCall[] = []
  const heavy: StoreCall[] = []
  let isPrepared = false
  let isScheduled = false
  let isFinished = false
  let cancelIdle = (): void => {}

  function run({ id, method, args }: StoreCall): StoreReply {
    return { id, value: table.get(method)?.(...args) }
  }

  function runOneOfMany(call: StoreCall): StoreReply {
    db.exec('SAVEPOINT one')
    try {
      const answer = run(call)
      db.exec('RELEASE one')
      return answer
    } catch (error) {
      // A full disk and the like end the whole transaction, and with it every write in it.
      if (!db.isTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      return { id: call.id, error: toCallError(db, error) }
    }
  }

  function runTogether(calls: StoreCall[]): StoreReply[] {
    try {
      db.exec('BEGIN IMMEDIATE')
      // To undo the only one is to undo all: it needs no savepoint, which would cost an upsert a third of its time.
      const replies = calls.map(calls.length > 1 ? runOneOfMany : run)
      db.exec('COMMIT')
      return replies
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      return calls.map(({ id }) => ({ id, error: toCallError(db, error) }))
    }
  }

  function commit(calls: StoreCall[]): void {
    if (calls.length > 0) for (const message of runTogether(calls)) reply(message)
  }

  /** Takes a step of the call that stands first. Each step is short, so that light calls wait for no more than one. */
  function advanceHeavy(): void {
    const [call] = heavy
    if (!call) return
    if (isPrepared) commit(heavy.splice(0, 1))
    else ignoringErrors(() => preparations[call.method]?.(...(call.args as never[])))
    isPrepared = !isPrepared
  }

  function runMaintenance(): boolean {
    return ignoringErrors(maintenance.step) ?? false
  }

  /** What fails here fails the next write too, which says so to somebody. */
  function ignoringErrors<Result>(run: () => Result): Result | undefined {
    try {
      return run()
    } catch (error) {
      toStoreError(db, error)
      return undefined
    }
  }

  function turn(): void {
    isScheduled = false
    if (isFinished) return
    commit(light.splice(0, maxTogether))
    // Else contacts could come faster than they are indexed, for ever.
    if (!ignoringErrors(maintenance.hasBacklog) || !runMaintenance()) advanceHeavy()
    cancelIdle()
    if (light.length > 0 || heavy.length > 0) schedule()
    else cancelIdle = afterIdle(maintainWhileIdle, idleMs)
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    // What else has arrived is handed over before it runs.
    setImmediate(turn)
  }

  /** Whatever comes in between ends with a rest of its own. */
  function maintainWhileIdle(): void {
    if (isScheduled || isFinished) return
    if (runMaintenance()) setImmediate(maintainWhileIdle)
    else if (ignoringErrors(maintenance.isWaiting)) cancelIdle = afterIdle(maintainWhileIdle, checkEveryMs)
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
      // What is still scheduled would find the database closed.
      isFinished = true
      cancelIdle()
      while (light.length > 0) commit(light.splice(0, maxTogether))
      while (heavy.length > 0) commit(heavy.splice(0, 1))
      ignoringErrors(maintenance.finish)
    },
  }
}

function whenIdle(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
