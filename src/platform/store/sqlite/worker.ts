import { parentPort, workerData } from 'node:worker_threads'
import { requireBefore } from '../deadline.ts'
import { methodsOf } from '../queries/methods.ts'
import { openDatabase } from './connection.ts'
import { createDatabase } from './database.ts'
import { mergeSearchIndex, sqliteDialect } from './dialect.ts'
import { createMaintenance } from './maintenance.ts'
import { createMethodCaller } from './methodCaller.ts'
import type { Runner, StoreCall, StoreReply, WorkerSetup } from './thread.ts'
import { startId, toCallError } from './thread.ts'
import { createWriter, type WriterParts } from './writer.ts'

const { role, database, limits } = workerData as WorkerSetup
const db = openDatabase(database, role === 'reader')
const reply = (message: StoreReply) => parentPort?.postMessage(message)
const methods = methodsOf(createDatabase(db), sqliteDialect(limits))

const { run, finish } = role === 'writer' ? createWriter(writerParts()) : createReader(methods)

parentPort?.on('message', async (message: StoreCall | 'close') => {
  if (message !== 'close') return run(message)
  await finish()
  db.close()
  parentPort?.close()
})
reply({ id: startId, value: undefined })

function writerParts(): WriterParts {
  const maintenance = createMaintenance(db)
  let lastMerged = ''
  const all = {
    ...methods,
    deleteContact(...args: Parameters<typeof methods.deleteContact>) {
      maintenance.truncateWal()
      return methods.deleteContact(...args)
    },
    removeMessage(...args: Parameters<typeof methods.removeMessage>) {
      maintenance.truncateWal()
      return methods.removeMessage(...args)
    },
    async purgeSome(...args: Parameters<typeof methods.purgeSome>) {
      const [{ now }] = args
      const today = now.slice(0, 10)
      // Once a day, because it may write the whole index anew.
      if ((await methods.purgeSome(...args)) || (lastMerged !== today && mergeSearchIndex(db))) return true
      lastMerged = today
      maintenance.truncateWal()
      return false
    },
  }
  return { db, methods: all, maintenance, reply }
}

function createReader(methods: object): Runner {
  const callMethod = createMethodCaller(methods)
  return {
    async run({ id, method, args, deadline }) {
      try {
        requireBefore(deadline)
        reply({ id, value: await callMethod(method, args) })
      } catch (error) {
        reply({ id, error: toCallError(db, error) })
      }
    },
    async finish() {},
  }
}
