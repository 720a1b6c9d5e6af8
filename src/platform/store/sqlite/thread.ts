import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Deadline } from '../callContext.ts'
import type { StoreLimits } from '../database.ts'
import { StoreUnavailableError } from '../store.ts'
import { type DatabaseOptions, toStoreError } from './connection.ts'

export interface WorkerSetup {
  role: 'writer' | 'reader'
  database: DatabaseOptions
  limits: StoreLimits
}
export interface StoreCall {
  id: number
  method: string
  args: unknown[]
  /** After this time the call must not run. */
  deadline: Deadline
}
export type StoreReply = { id: number; value: unknown } | { id: number; error: CallError }
/** The properties of an error: messages between threads lose its class. */
export interface CallError {
  isUnavailable: boolean
  properties: object
}

/** The id of the reply by which a thread says that it can run calls. */
export const startId = 0

/** Calls a method inside a thread. */
export type CallMethod = (call: StoreCall) => unknown

/** A thread that runs a store's methods. */
export type StoreThread = ReturnType<typeof createStoreThread>

/** What a store needs of a `Worker`. */
export type StoreWorker = Pick<Worker, 'postMessage' | 'ref' | 'unref' | 'on' | 'once'>

/**
 * Starts a thread at the first call. If the thread ends unexpectedly, waiting calls reject, and the next call starts
 * another.
 */
export function createStoreThread(setup: WorkerSetup, createWorker: (setup: WorkerSetup) => StoreWorker = openWorker) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let worker: StoreWorker | undefined
  let closed = false
  let lastId = startId

  function waitFor(id: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.set(id, { resolve, reject })
    return promise
  }

  function startWorker(): StoreWorker {
    const started = createWorker(setup)
    let cause: unknown
    started.on('message', (reply: StoreReply) => {
      const call = waiting.get(reply.id)
      waiting.delete(reply.id)
      // Only running calls keep the process alive.
      if (waiting.size === 0) started.unref()
      if ('error' in reply) call?.reject(fromCallError(reply.error))
      else call?.resolve(reply.value)
    })
    started.on('error', error => {
      cause = error
    })
    started.on('exit', () => {
      worker = undefined
      const calls = [...waiting.values()]
      waiting.clear()
      for (const { reject } of calls)
        reject(new StoreUnavailableError('A thread of the store ended unexpectedly.', { cause }))
    })
    return started
  }

  return {
    get pending() {
      return waiting.size
    },
    /** Starts the thread, unless a call has started it. Resolves when it can run calls. */
    async start(): Promise<void> {
      if (worker) return
      worker = startWorker()
      await waitFor(startId)
    },
    async call(method: string, args: unknown[], deadline: Deadline): Promise<unknown> {
      if (closed) throw new StoreUnavailableError('The store is closed.')
      worker ??= startWorker()
      worker.ref()
      const id = ++lastId
      worker.postMessage({ id, method, args, deadline } satisfies StoreCall)
      return waitFor(id)
    },
    /** Ends the thread after the calls that it has received. */
    async close(): Promise<void> {
      closed = true
      worker?.ref()
      worker?.postMessage('close')
      await new Promise(resolve => (worker ? worker.once('exit', resolve) : resolve(undefined)))
    },
  }
}

function openWorker(setup: WorkerSetup): Worker {
  // Do not inherit the process's flags (`-e`, `--input-type`, preloads).
  const execArgv = ['--disable-warning=ExperimentalWarning']
  return new Worker(workerUrl(), { workerData: setup, execArgv })
}

/** Serializes an error, with the place where it was thrown and SQLite's code. */
export function toCallError(db: DatabaseSync, error: unknown): CallError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const isUnavailable = toStoreError(db, error) instanceof StoreUnavailableError
  return { isUnavailable, properties: { ...(error as object), message, stack } }
}

const fromCallError = ({ isUnavailable, properties }: CallError): Error =>
  Object.assign(isUnavailable ? new StoreUnavailableError() : new Error(), properties)

/** Finds the worker's file. In the source it is beside this one; a build puts this code in dist or a folder below it. */
function workerUrl(): URL {
  const here = import.meta.url
  if (here.endsWith('.ts')) {
    // Each thread strips types with WebAssembly. V8 13 can crash if one thread frees such code while another uses it.
    setFlagsFromString('--no-wasm-code-gc')
    setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000')
    return new URL('worker.ts', here)
  }
  const found = ['sqliteWorker.js', '../sqliteWorker.js'].map(path => new URL(path, here)).find(url => existsSync(url))
  if (!found) throw new Error('sqliteWorker.js is missing beside the platform: deploy the whole dist folder of natter.')
  return found
}
