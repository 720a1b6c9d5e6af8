import { monotonicMs } from './store/deadline.ts'
import { createFairQueue } from './store/fairQueue.ts'
import { StoreUnavailableError } from './store/store.ts'

/** Ours: how many large bodies are in memory at the same time, and how many of them can be one organization's. */
const [atOnce, atOncePerOwner] = [8, 4]
/** Ours: how many requests of one organization, and of all, wait with their bodies unread. */
const [maxWaiting, maxWaitingOfAll] = [64, 256]
/** Ours: the client is told 503 after that; the server gives up requests that have not arrived after 30 s. */
const maxWaitMs = 20_000

export interface LargeBodies {
  /** Calls `handle`, which reads the body of a request and answers it, when the organization has its turn. */
  inTurn<Result>(organizationId: string, handle: () => Promise<Result>): Promise<Result>
}

/**
 * Keeps the bodies of large requests on the network until they can be handled. A body of 4 MiB takes several times that
 * once it is parsed, so a few hundred clients could fill the memory.
 */
export function createLargeBodies(): LargeBodies {
  const queue = createFairQueue({
    maxWaiting,
    maxWaitingOfAll,
    atOnce,
    atOncePerOwner,
    createFullError: () => new StoreUnavailableError('Too many large requests are waiting.'),
  })
  return { inTurn: (organizationId, handle) => queue.run(organizationId, monotonicMs() + maxWaitMs, handle) }
}
