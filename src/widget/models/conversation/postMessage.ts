import type { ReadonlySignal } from '@preact/signals-core'
import type { Message, MessageCreate } from '../../../contract/index.ts'
import type { ApiClient, Credentials, StopCondition } from '../../api/apiClient.ts'
import { abortOnHold } from './abortOnHold.ts'
import type { LazyAttachments } from './lazyAttachments.ts'
import type { PendingMessage } from './pendingMessage.ts'
import type { SendAttempts } from './sendAttempts.ts'

interface PostDeps {
  api: Pick<ApiClient, 'sendMessage'>
  isOnHold: ReadonlySignal<boolean>
  files: Pick<LazyAttachments, 'upload' | 'forget'>
}

/**
 * Uploads the files of a message and sends it, until the platform has stored it, the leadership ends, or messages are on hold
 * again. The leadership is the `abortSignal` of the credentials. `onFilesUnavailable` is called if the code for files can't be
 * fetched for now.
 */
export async function postMessage(
  { api, isOnHold, files: uploads }: PostDeps,
  { token, abortSignal: leadership }: Credentials,
  attempts: SendAttempts,
  { id, text, context, files }: PendingMessage,
  onFilesUnavailable: () => void,
): Promise<Message | undefined> {
  let canUploadAgain = files !== undefined
  for (;;) {
    const attachments =
      files && (await uploads.upload(files, leadership, attempts.shouldStopRetrying, onFilesUnavailable))
    if (leadership.aborted) return undefined
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
    const stored = await abortOnHold(isOnHold, leadership, abortSignal =>
      api.sendMessage({ token, abortSignal }, shouldStopRetrying, message),
    )
    if (!files || !mustUploadAgain) return stored
    canUploadAgain = false
    uploads.forget(files)
  }
}

/** The platform's limit of messages that are sent before another one in the same request. */
export const maxEarlierMessages = 9
/** A browser lets a page that is being left send 64 KiB, and the platform takes 32 KiB in one request. */
const maxLastBytes = 30_000

/**
 * Sends the unsaved messages because the page is being left, and as many before them as fit, so that they keep their order. The
 * next page sends the others from IndexedDB. There are several requests only if the unsaved messages need them: the order of
 * these is left to chance, and a browser drops the last ones first. Nothing waits for the response.
 */
export function postLastMessages(
  api: Pick<ApiClient, 'sendLastMessage'>,
  token: string,
  messages: readonly PendingMessage[],
  isUnsaved: (message: PendingMessage) => boolean,
): void {
  const credentials = { token, abortSignal: new AbortController().signal }
  // Uploads would take too long.
  const texts = messages.filter(({ files }) => !files)
  const requests: MessageCreate[][] = []
  for (let rest = texts; rest.some(isUnsaved); ) {
    const upToLast = rest.slice(0, rest.findLastIndex(isUnsaved) + 1)
    const batch = lastThatFit(upToLast.map(({ id, text, context }) => ({ id, text, context })))
    requests.unshift(batch)
    rest = upToLast.slice(0, -batch.length)
  }
  for (const batch of requests) {
    const last = batch.pop() as MessageCreate
    void api.sendLastMessage(credentials, () => true, batch.length ? { ...last, earlier: batch } : last)
  }
}

/** Returns as many of the last messages as one request can contain: at least one. */
function lastThatFit(messages: readonly MessageCreate[]): MessageCreate[] {
  const encoder = new TextEncoder()
  let bytes = 0
  const tooMany = messages.findLastIndex((message, index) => {
    bytes += encoder.encode(JSON.stringify(message)).length
    const after = messages.length - 1 - index
    return after > maxEarlierMessages || (after > 0 && bytes > maxLastBytes)
  })
  return messages.slice(tooMany + 1)
}
