import type { StopCondition } from '../../api/apiClient.ts'
import type { Page } from '../../environment/page.ts'

/**
 * Why a file can't be sent: it is empty or exceeds the size that the bot takes, its content is refused, the limit of the day is
 * reached, the platform can't be reached, or this browser no longer has the file or can't read it.
 */
export type FileProblem = 'empty' | 'tooLarge' | 'refused' | 'full' | 'network' | 'missing'

/** With the backoff these take some minutes. Failures while offline don't count. */
const maxTries = 10
/** A limit that ends later than this is the limit of the day. */
const longWaitMs = 120_000

export interface UploadAttempts {
  /** Decides after each failed attempt whether to retry. */
  readonly shouldStopRetrying: StopCondition
  /** Why the attempts have ended; `taken` if the file needs another id. */
  problem(): FileProblem | 'taken' | undefined
}

/**
 * Counts the attempts to upload a file. `onFailure` is called if another one may succeed. It may decide about giving up, for
 * the message that waits for the file.
 */
export function createUploadAttempts(
  page: Pick<Page, 'online'>,
  onFailure: (...args: Parameters<StopCondition>) => boolean | undefined,
): UploadAttempts {
  let problem: FileProblem | 'taken' | undefined
  let countedTries = 0
  return {
    shouldStopRetrying(failure, tries) {
      if (failure.ended) return false
      if (page.online()) countedTries++
      problem = problemOf(failure)
      if (!problem && (onFailure(failure, tries) ?? countedTries > maxTries)) problem = 'network'
      return problem !== undefined
    },
    problem: () => problem,
  }
}

/** Returns why a file can't be sent; `undefined` if another attempt may succeed. */
function problemOf({ status, transient, retryAfterMs }: Parameters<StopCondition>[0]) {
  // Another session has used the id, or the file has changed on the disk.
  if (status === 409) return 'taken'
  if (status === 413) return 'tooLarge'
  if (status === 429 && retryAfterMs > longWaitMs) return 'full'
  return transient ? undefined : 'refused'
}
