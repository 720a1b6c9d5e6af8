import type { Deadline } from './store/deadline.ts'
import { createFairQueue } from './store/fairQueue.ts'
import { StoreUnavailableError } from './store/store.ts'

const mebibyte = 1024 * 1024
/** Ours: how many bytes of large bodies are in memory at the same time, and how many of them can be one organization's. */
const [atOnce, atOncePerOwner] = [32 * mebibyte, 16 * mebibyte]
/** Ours: how many requests of one organization, and of all, wait with their bodies unread. */
const [maxWaiting, maxWaitingOfAll] = [64, 256]

export interface LargeBodies {
  /**
   * Calls `handle`, which reads a body of at most `bytes` and answers the request, when the organization has its turn.
   * Throws `StoreUnavailableError` if too many wait, or at the deadline.
   */
  inTurn<Result>(
    organizationId: string,
    bytes: number,
    deadline: Deadline,
    handle: () => Promise<Result>,
  ): Promise<Result>
}

/**
 * Keeps the bodies of large requests on the network until they can be handled. A body of 4 MiB takes several times that
 * once it is parsed, so a few hundred clients could fill the memory. A request counts until it is answered, since what
 * it has sent stays in memory while it waits for the store.
 */
export function createLargeBodies(): LargeBodies {
  const queue = createFairQueue({
    maxWaiting,
    maxWaitingOfAll,
    atOnce,
    atOncePerOwner,
    createFullError: () => new StoreUnavailableError('Too many large requests are waiting.'),
  })
  return {
    inTurn: (organizationId, bytes, deadline, handle) => queue.run(organizationId, deadline, handle, bytes),
  }
}
