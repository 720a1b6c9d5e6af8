import { parentPort, workerData } from 'node:worker_threads'
import { requireBefore } from '../deadline.ts'
import { agentWrites, conversationLists } from './agents.ts'
import { attachmentReads, attachmentWrites } from './attachments.ts'
import { openDatabase } from './connection.ts'
import { contactWrites } from './contacts.ts'
import { conversationWrites, sweepReads } from './conversations.ts'
import { deliveryWrites } from './deliveries.ts'
import { exportReads } from './exports.ts'
import { handoverWrites } from './handovers.ts'
import { createMaintenance } from './maintenance.ts'
import { messageChanges } from './messageChanges.ts'
import { createMethodCaller } from './methodCaller.ts'
import { organizationWrites } from './organizations.ts'
import { purgeWrites } from './purge.ts'
import { searchReads } from './search.ts'
import { sessionWrites } from './sessions.ts'
import type { Runner, StoreCall, StoreReply, WorkerSetup } from './thread.ts'
import { startId, toCallError } from './thread.ts'
import { turnWrites } from './turns.ts'
import { unreadWrites } from './unread.ts'
import { createWriter, type WriterParts } from './writer.ts'

const { role, database, limits } = workerData as WorkerSetup
const db = openDatabase(database, role === 'reader')
const reply = (message: StoreReply) => parentPort?.postMessage(message)

const { run, finish } = role === 'writer' ? createWriter(writerParts()) : createReader(reads())

parentPort?.on('message', (message: StoreCall | 'close') => {
  if (message !== 'close') return run(message)
  finish()
  db.close()
  parentPort?.close()
})
reply({ id: startId, value: undefined })

function writerParts(): WriterParts {
  const contacts = contactWrites(db)
  const changes = messageChanges(db)
  const maintenance = createMaintenance(db, database.durable)
  const methods = {
    ...organizationWrites(db),
    ...contacts,
    deleteContact(...args: Parameters<typeof contacts.deleteContact>) {
      maintenance.truncateWal()
      return contacts.deleteContact(...args)
    },
    ...sessionWrites(db),
    ...conversationWrites(db),
    ...agentWrites(db),
    ...changes,
    removeMessage(...args: Parameters<typeof changes.removeMessage>) {
      maintenance.truncateWal()
      return changes.removeMessage(...args)
    },
    ...handoverWrites(db),
    ...attachmentWrites(db),
    ...turnWrites(db),
    ...deliveryWrites(db),
    ...unreadWrites(db),
    ...purgeWrites(db, maintenance.truncateWal),
  }
  return { db, methods, prepareUpsert: contacts.prepareUpsert, maintenance, reply }
}

function reads() {
  return {
    ...searchReads(db, limits),
    ...sweepReads(db),
    ...conversationLists(db),
    ...exportReads(db),
    ...attachmentReads(db),
  }
}

function createReader(methods: object): Runner {
  const callMethod = createMethodCaller(methods)
  return {
    run({ id, method, args, deadline }) {
      try {
        requireBefore(deadline)
        reply({ id, value: callMethod(method, args) })
      } catch (error) {
        reply({ id, error: toCallError(db, error) })
      }
    },
    finish() {},
  }
}
