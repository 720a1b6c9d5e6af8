import type { Clock } from '../clock.ts'
import type { AppContext } from './appEnv.ts'
import { unavailable } from './problems.ts'

/**
 * Waits for something that other requests wait for, too, and that therefore has no deadline of its own. Throws
 * `unavailable` at the deadline of this request.
 */
export async function beforeDeadline<Result>(
  c: AppContext,
  result: Promise<Result>,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<Result> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const expire = (): void =>
    reject(unavailable('The deadline of the request passed while it waited with other requests.'))
  const cancelTimer = clock.setTimeout(expire, c.get('requestContext').remainingMs())
  return Promise.race([result, expired]).finally(cancelTimer)
}
