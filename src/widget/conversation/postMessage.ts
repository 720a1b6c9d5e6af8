import type { Message } from '../../contract/index.ts'
import type { ApiClient, Credentials, StopCondition } from '../api/apiClient.ts'
import type { LazyAttachments } from './lazyAttachments.ts'
import type { PendingMessage } from './pendingMessage.ts'
import type { SendAttempts } from './sendAttempts.ts'

interface PostDeps {
  api: Pick<ApiClient, 'sendMessage'>
  files: Pick<LazyAttachments, 'upload' | 'forget'>
}

/**
 * Uploads the files of a message and sends it, until the platform has stored it, or the credentials cancel that.
 * `onFilesUnavailable` is called if the code for files can't be fetched for now.
 */
export async function postMessage(
  { api, files: uploads }: PostDeps,
  credentials: Credentials,
  attempts: SendAttempts,
  { id, text, context, files }: PendingMessage,
  onFilesUnavailable: () => void,
): Promise<Message | undefined> {
  const { abortSignal } = credentials
  let canUploadAgain = files !== undefined
  for (;;) {
    const attachments =
      files && (await uploads.upload(files, abortSignal, attempts.shouldStopRetrying, onFilesUnavailable))
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
    const stored = await api.sendMessage(credentials, shouldStopRetrying, message)
    if (!files || !mustUploadAgain) return stored
    canUploadAgain = false
    uploads.forget(files)
  }
}
