import type { StopCondition } from '../api/apiClient.ts'
import type { Deps } from './deps.ts'
import type { PendingMessage } from './pendingMessage.ts'

/** With the backoff these take some minutes. Failures while offline don't count. */
const maxTries = 10

export interface SendAttempts {
  /** Decides after each failed attempt whether to retry, and updates the status of the message. */
  readonly shouldStopRetrying: StopCondition
  /** Whether the message has failed. */
  hasFailed(): boolean
  /** Lets the message fail, because a file of it can't be uploaded. */
  reject(): void
}

/** Counts the attempts to send a message. `mark` changes its status. */
export function createSendAttempts(
  { clock, page }: Pick<Deps, 'clock' | 'page'>,
  mark: (status: PendingMessage['status'], more: Pick<PendingMessage, 'failure' | 'resumesAt'>) => void,
): SendAttempts {
  let failure: PendingMessage['failure']
  let countedTries = 0
  return {
    shouldStopRetrying({ status, transient, ended, retryAfterMs }) {
      if (ended) return false
      if (page.online()) countedTries++
      failure = transient ? (countedTries > maxTries ? 'network' : undefined) : 'rejected'
      const resumesAt = status === 429 && retryAfterMs ? new Date(clock.now() + retryAfterMs).toISOString() : undefined
      if (failure) mark('failed', { failure })
      else mark('waiting', { resumesAt })
      return failure !== undefined
    },
    hasFailed: () => failure !== undefined,
    reject() {
      if (failure) return
      failure = 'rejected'
      mark('failed', { failure })
    },
  }
}
