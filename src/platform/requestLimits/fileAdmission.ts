import type { AppContext, Middleware } from '../middleware/appEnv.ts'
import { defaultMs, monotonicMs } from '../store/deadline.ts'
import { createFairQueue } from '../store/fairQueue.ts'
import { type BodyAdmissionOptions, createBodyAdmission } from './bodyAdmission.ts'

/** How many files can be sent and how many received at the same time. Organizations share the places. */
const limits = {
  uploads: { maxConcurrent: 64, maxConcurrentPerOwner: 'fair' },
  downloads: { maxConcurrent: 256, maxConcurrentPerOwner: 'fair' },
} as const
/** How many can wait, of all owners and of one. */
const waiting = { maxWaitingOfAll: 256, maxWaiting: 64 }
/** How many files one session can receive at the same time. Those beyond wait for the session, then for the node. */
const limitsOfSession = { maxConcurrent: Number.POSITIVE_INFINITY, maxConcurrentPerOwner: 8, ...waiting }

/** Bounds the memory that files take: each takes about half a MiB while it is sent or received. */
export interface FileAdmission {
  /** Lets a request continue when there is room for its body, which is unread until then. */
  admitUpload: Middleware
  /**
   * Lets a request continue when there is room for the body of its response. It keeps the room until the body is sent, or
   * until its deadline: a client that reads no more would keep it forever.
   */
  admitDownload: Middleware
}

export function createFileAdmission({ clock }: Pick<BodyAdmissionOptions, 'clock'>): FileAdmission {
  const uploads = createBodyAdmission({
    name: 'uploads',
    ...limits.uploads,
    ...waiting,
    clock,
    // A phone with a slow connection may take its time, but nobody may keep others from sending.
    minKibibytesPerSecond: 64,
    rateWindowMs: 10_000,
    advice: 'Send it again.',
  })
  const downloads = createFairQueue({ name: 'downloads', ...limits.downloads, ...waiting })
  const downloadsOfSessions = createFairQueue({ name: 'downloads of sessions', ...limitsOfSession })

  /** Resolves when there is room, to a function that gives it back. `session`: the hash of the session that asks. */
  async function takeRoom(owner: string, session: string | undefined): Promise<() => void> {
    const deadline = monotonicMs() + defaultMs
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
    admitUpload: (c, next) => uploads.run(c, 1, next),
    async admitDownload(c, next) {
      const { owner, remainingMs } = c.get('requestContext')
      const giveBack = await takeRoom(owner, c.get('session')?.hash)
      await next()
      if (c.error || !c.res.body) return giveBack()
      const { body, abortDownload } = withEnd(c, c.res.body, () => {
        giveBack()
        cancelTimer()
      })
      const cancelTimer = clock.setTimeout(
        () => abortDownload(new Error('The file was not read in time.')),
        remainingMs(),
      )
      c.res = new Response(body, c.res)
    },
  }
}

/** The same body. `onEnd` is called when it ends in any way; `abortDownload` ends it. */
function withEnd({ env: { outgoing } }: AppContext, source: ReadableStream<Uint8Array>, onEnd: () => void) {
  const reader = source.getReader()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const abortDownload = (error: unknown): void => {
    onEnd()
    reader.cancel().catch(() => {})
    // Otherwise the adapter would print the error.
    if (outgoing) outgoing.destroy()
    else controller?.error(error)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
      },
      async pull(started) {
        try {
          const { done, value } = await reader.read()
          if (!done) return started.enqueue(value)
          started.close()
          onEnd()
        } catch (error) {
          abortDownload(error)
        }
      },
      cancel() {
        onEnd()
        return reader.cancel()
      },
    },
    { highWaterMark: 0 },
  )
  return { body, abortDownload }
}
