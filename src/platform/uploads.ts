import type { Middleware } from './middleware/appEnv.ts'
import { deadlineOf } from './requestDeadline.ts'
import { createFairQueue } from './store/fairQueue.ts'
import { StoreUnavailableError } from './store/store.ts'

/** How many files can arrive at the same time, of all organizations and of one. Each takes about half a MiB of memory. */
const [atOnce, atOncePerOwner] = [64, 32]
/** How many can wait with their bodies unread, of all organizations and of one. */
const [maxWaitingOfAll, maxWaiting] = [256, 64]

/** Lets a request continue when there is room for another file. */
export function createUploadAdmission(): Middleware {
  const queue = createFairQueue({
    ...{ atOnce, atOncePerOwner, maxWaiting, maxWaitingOfAll },
    createFullError: () => new StoreUnavailableError('Too many uploads are waiting.'),
  })
  return (c, next) => queue.run(c.get('requestContext').owner, deadlineOf(c), () => next())
}
