import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { requireBefore } from '../callContext.ts'
import { methodsOf } from '../queries/methods.ts'
import type { PurgeCutoffs } from '../store.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { mergeSearchIndexes, sqliteDialect } from './dialect.ts'
import { createLogTruncation } from './logTruncation.ts'
import { type CallMethod, type StoreCall, type StoreReply, startId, toCallError, type WorkerSetup } from './thread.ts'
import { createWriter } from './writer.ts'

/** Opens a connection, on which it runs calls. `finish` runs those that wait, and closes it. */
export function createCallRunner({ role, database, limits }: WorkerSetup, reply: (message: StoreReply) => void) {
  const db = openDatabase(database, role === 'reader')
  const methods = methodsOf(createDatabase(db), sqliteDialect(limits))
  const { run, finish } = role === 'writer' ? startWriter() : startReader()

  function startWriter() {
    const log = createLogTruncation(database)
    let lastMerged = ''
    async function purgeSome(cutoffs: PurgeCutoffs): Promise<boolean> {
      const today = cutoffs.now.slice(0, 10)
      // Once a day, because it may write the whole indexes anew.
      if ((await methods.purgeSome(cutoffs)) || (lastMerged !== today && mergeSearchIndexes(db))) return true
      lastMerged = today
      return false
    }
    const callMethod = callerOf({ ...methods, purgeSome })
    const erasing = ['deleteContact', 'deleteContactOfSession', 'deleteMessage', 'purgeSome']
    const writer = createWriter(
      db,
      call => {
        if (erasing.includes(call.method)) log.truncateSoon()
        return callMethod(call)
      },
      reply,
    )
    return {
      ...writer,
      async finish() {
        await writer.finish()
        log.finish()
      },
    }
  }

  function startReader() {
    const callMethod = callerOf(methods)
    let deadline = Number.POSITIVE_INFINITY
    // A condition of searches: nothing else can stop a statement that runs.
    db.function('in_time', () => {
      requireBefore(deadline)
      return 1
    })
    return {
      async run(call: StoreCall) {
        deadline = call.deadline
        try {
          requireBefore(deadline)
          reply({ id: call.id, value: await callMethod(call) })
        } catch (error) {
          reply({ id: call.id, error: toCallError(db, error) })
        }
      },
      async finish() {},
    }
  }

  return {
    run,
    async finish() {
      await finish()
      db.close()
    },
  }
}

function callerOf(methods: object): CallMethod {
  const byName = methods as Record<string, unknown>
  // Throws if there is no such method: the caller would take `undefined` for a success.
  return ({ method, args }) => (byName[method] as (...args: unknown[]) => unknown)(...args)
}

if (parentPort) listen(parentPort)

function listen(port: MessagePort): void {
  const reply = (message: StoreReply) => port.postMessage(message)
  const { run, finish } = createCallRunner(workerData as WorkerSetup, reply)
  port.on('message', async (message: StoreCall | 'close') => {
    if (message !== 'close') return run(message)
    await finish()
    port.close()
  })
  reply({ id: startId, value: undefined })
}
