import { EventEmitter } from 'node:events'
import { type StoreCall, type StoreReply, type StoreWorker, startId, type WorkerSetup } from '../store/sqlite/thread.ts'
import { createCallRunner } from '../store/sqlite/worker.ts'

/**
 * Runs a store's methods in this thread: most of the time of a short test would be that of the threads' start. As between
 * threads, what is sent is copied, and arrives later.
 */
export function createInlineWorker(setup: WorkerSetup): StoreWorker {
  const worker = new EventEmitter()
  const reply = (message: StoreReply) => setImmediate(() => worker.emit('message', structuredClone(message)))
  const { run, finish } = createCallRunner(setup, reply)
  async function close(): Promise<void> {
    await finish()
    setImmediate(() => worker.emit('exit'))
  }
  reply({ id: startId, value: undefined })
  return Object.assign(worker, {
    postMessage(message: StoreCall | 'close') {
      const sent = structuredClone(message)
      setImmediate(() => (sent === 'close' ? close() : run(sent)))
    },
    ref() {},
    unref() {},
  }) as unknown as StoreWorker
}
