import { AsyncLocalStorage } from 'node:async_hooks'
import type { Next } from 'hono'
import { defaultTimeLimitMs } from '../../contract/limits.ts'
import type { Clock } from '../clock.ts'
import { monotonicMs, msUntil } from '../store/callContext.ts'
import { createFairQueue } from '../store/fairQueue.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { defaultMaxBytes, hasBody } from './readBody.ts'

const mebibyte = 1024 * 1024

/** How many files can be sent and how many received at the same time, of all organizations and of one. */
const limits = {
  uploads: { maxConcurrent: 64, maxConcurrentPerOwner: 32 },
  downloads: { maxConcurrent: 256, maxConcurrentPerOwner: 128 },
}
/** The bytes of large bodies that are in memory at the same time. */
const limitsOfBytes = { maxConcurrent: 32 * mebibyte, maxConcurrentPerOwner: 16 * mebibyte }
/** How many can wait, of all owners and of one. */
const waiting = { maxWaitingOfAll: 256, maxWaiting: 64 }
/**
 * How many files one address can send, and one session receive, at the same time: a client that is slow on purpose must
 * leave room for others. Those beyond wait for the client, then for the node.
 */
const limitsOfAddress = { maxConcurrent: Number.POSITIVE_INFINITY, maxConcurrentPerOwner: 16, ...waiting }
const limitsOfSession = { maxConcurrent: Number.POSITIVE_INFINITY, maxConcurrentPerOwner: 8, ...waiting }

/** Bounds the memory that large bodies and files take. A file takes about half a MiB while it is sent or received. */
export function createTransferAdmission() {
  const bytes = createFairQueue({ name: 'large bodies', ...limitsOfBytes, ...waiting })
  const uploads = createFairQueue({ name: 'uploads', ...limits.uploads, ...waiting })
  const uploadsOfAddresses = createFairQueue({ name: 'uploads of addresses', ...limitsOfAddress })
  const downloads = createFairQueue({ name: 'downloads', ...limits.downloads, ...waiting })
  const downloadsOfSessions = createFairQueue({ name: 'downloads of sessions', ...limitsOfSession })

  /** Resolves when there is room, to a function that gives it back. `session`: the hash of the session that asks. */
  async function takeRoom(owner: string, session: string | undefined): Promise<() => void> {
    // Not until the request's own deadline: most of its time is for sending.
    const deadline = monotonicMs() + defaultTimeLimitMs
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const run = async (): Promise<void> => {
      begun.resolve()
      await ended.promise
    }
    const runOfOwner = () => downloads.run(owner, deadline, run)
    const done = session === undefined ? runOfOwner() : downloadsOfSessions.run(session, deadline, runOfOwner)
    done.catch(begun.reject)
    await begun.promise
    return ended.resolve
  }

  return {
    /**
     * Lets a request continue when there is room for its body of at most `maxBytes`: for its declared length, or for `maxBytes`
     * without one. A body of more than 32 KiB is unread until then. It keeps its room until the request is answered, because a
     * parsed body stays in memory while the request waits for the store.
     */
    admitLargeBody:
      (maxBytes: number): Middleware =>
      (c, next) => {
        const size = declaredBytes(c) ?? maxBytes
        if (size <= defaultMaxBytes) return next()
        const { owner, deadline } = c.get('requestContext')
        return bytes.run(owner, deadline, next, size)
      },
    /** Lets a request continue when there is room for its file, which is unread until then. */
    admitUpload(c: AppContext, next: Next) {
      const { owner, deadline } = c.get('requestContext')
      const runOfOwner = () => uploads.run(owner, deadline, next)
      const address = c.get('address')
      return address === undefined ? runOfOwner() : uploadsOfAddresses.run(address, deadline, runOfOwner)
    },
    /** Lets a request continue when there is room for the file that it asks for. `streamDownload` gives the room back. */
    async admitDownload(c: AppContext, next: Next) {
      const giveBackRoom = await takeRoom(c.get('requestContext').owner, c.get('session')?.hash)
      c.set('giveBackRoom', giveBackRoom)
      await next()
      if (c.error || !c.res.body) giveBackRoom()
    },
  }
}

/** The length that the headers declare; `undefined` for a body in chunks. */
function declaredBytes(c: AppContext): number | undefined {
  const declared = c.req.header('content-length')
  if (declared !== undefined) return Number(declared)
  return hasBody(c) ? undefined : 0
}

/**
 * The body of a download. It reads a part only when the connection can take it, as a part of the request: it counts for its
 * owner and deadline. It keeps the room of the request until it ends, or until the deadline: a client that reads no more
 * would keep it forever.
 */
export function streamDownload(
  c: AppContext,
  bytes: AsyncGenerator<Uint8Array, void>,
  clock: Pick<Clock, 'setTimeout'>,
): ReadableStream<Uint8Array> {
  const { outgoing } = c.env
  const inRequest = AsyncLocalStorage.snapshot()
  let cancelTimer = (): void => {}
  const end = (): void => {
    cancelTimer()
    c.get('giveBackRoom')?.()
  }
  const abort = (controller: ReadableStreamDefaultController, error: unknown): void => {
    end()
    // Otherwise the adapter would print the error.
    if (outgoing) outgoing.destroy()
    else controller.error(error)
  }
  return new ReadableStream(
    {
      start(controller) {
        const expire = () => abort(controller, new Error('The file was not read in time.'))
        cancelTimer = clock.setTimeout(expire, msUntil(c.get('requestContext').deadline))
      },
      async pull(controller) {
        try {
          const { done, value } = await inRequest(() => bytes.next())
          if (!done) return controller.enqueue(value)
          controller.close()
          end()
        } catch (error) {
          abort(controller, error)
        }
      },
      cancel() {
        end()
        void bytes.return()
      },
    },
    { highWaterMark: 0 },
  )
}
