import type { Message } from '../../contract/index.ts'
import type { ApiClient, Credentials, StopCondition } from '../api/apiClient.ts'
import type { Deps } from './deps.ts'
import type { LazyAttachments } from './lazyAttachments.ts'
import type { PendingMessage } from './pendingMessage.ts'

/** How long a message is tried. The time while offline doesn't count, and of that between two failures at most a minute. */
const giveUpAfterMs = 300_000
const longestGapMs = 60_000

export interface SendAttempts {
  /** Decides after each failed attempt whether to retry, and updates the status of the message. */
  readonly shouldStopRetrying: StopCondition
  /** Whether the message has failed. */
  hasFailed(): boolean
  /** Lets the message fail, because a file of it can't be uploaded. */
  reject(): void
}

/** Decides how long a message is tried. `mark` changes its status, unless another tab has sent it: then it returns `false`. */
export function createSendAttempts(
  { clock, page }: Pick<Deps, 'clock' | 'page'>,
  mark: (status: PendingMessage['status'], more: Pick<PendingMessage, 'failure' | 'resumesAt'>) => boolean,
): SendAttempts {
  let failure: PendingMessage['failure']
  let failingMs = 0
  let lastFailureAt: number | undefined
  return {
    shouldStopRetrying({ status, transient, ended, retryAfterMs }) {
      if (ended) return false
      const now = clock.now()
      // Between two failures the device may have slept, or the platform may have asked to wait for long.
      failingMs += Math.min(now - (lastFailureAt ?? now), longestGapMs)
      lastFailureAt = page.online() ? now : undefined
      failure = transient ? (failingMs >= giveUpAfterMs ? 'network' : undefined) : 'rejected'
      const resumesAt = status === 429 && retryAfterMs ? new Date(now + retryAfterMs).toISOString() : undefined
      const isUnsent = failure ? mark('failed', { failure }) : mark('waiting', { resumesAt })
      if (!isUnsent) failure = undefined
      return !isUnsent || failure !== undefined
    },
    hasFailed: () => failure !== undefined,
    reject() {
      if (failure) return
      failure = 'rejected'
      mark('failed', { failure })
    },
  }
}

interface PostDeps {
  api: Pick<ApiClient, 'sendMessage'>
  files: Pick<LazyAttachments, 'upload' | 'uploads'>
}

/** Uploads the files of a message and sends it, until the platform has accepted it, or the credentials cancel that. */
export async function postMessage(
  deps: PostDeps,
  credentials: Credentials,
  attempts: SendAttempts,
  { id, text, context, files }: PendingMessage,
): Promise<Message | undefined> {
  const { abortSignal } = credentials
  let canUploadAgain = files !== undefined
  for (;;) {
    const attachments = files && (await deps.files.upload(files, abortSignal, attempts.shouldStopRetrying))
    if (abortSignal.aborted) return undefined
    if (files && !attachments) {
      attempts.reject()
      return undefined
    }
    let mustUploadAgain = false
    const shouldStopRetrying: StopCondition = (failure, tries) => {
      // The platform may not have the files any more, or as those of a session before this one.
      mustUploadAgain = canUploadAgain && failure.status === 400
      return mustUploadAgain || attempts.shouldStopRetrying(failure, tries)
    }
    const message = { id, text, context, ...(attachments && { attachments }) }
    const stored = await deps.api.sendMessage(credentials, shouldStopRetrying, message)
    if (!files || !mustUploadAgain) return stored
    canUploadAgain = false
    deps.files.uploads?.forget(files)
  }
}
