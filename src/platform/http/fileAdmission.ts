import type { Clock } from '../clock.ts'
import { defaultMs, monotonicMs } from '../store/callContext.ts'
import { createFairQueue } from '../store/fairQueue.ts'
import type { AppContext, Middleware } from './appEnv.ts'

/** How many files can be sent and how many received at the same time, of all organizations and of one. */
const limits = {
  uploads: { maxConcurrent: 64, maxConcurrentPerOwner: 32 },
  downloads: { maxConcurrent: 256, maxConcurrentPerOwner: 128 },
}
/** How many can wait, of all owners and of one. */
const waiting = { maxWaitingOfAll: 256, maxWaiting: 64 }
/**
 * How many files one address can send, and one session receive, at the same time: a client that is slow on purpose must
 * leave room for others. Those beyond wait for the client, then for the node.
 */
const limitsOfAddress = { maxConcurrent: Number.POSITIVE_INFINITY, maxConcurrentPerOwner: 16, ...waiting }
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

export function createFileAdmission({ clock }: { clock: Pick<Clock, 'setTimeout'> }): FileAdmission {
  const uploads = createFairQueue({ name: 'uploads', ...limits.uploads, ...waiting })
  const uploadsOfAddresses = createFairQueue({ name: 'uploads of addresses', ...limitsOfAddress })
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
    admitUpload(c, next) {
      const { owner, deadline } = c.get('requestContext')
      const runOfOwner = () => uploads.run(owner, deadline, next)
      const address = c.get('address')
      return address === undefined ? runOfOwner() : uploadsOfAddresses.run(address, deadline, runOfOwner)
    },
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
