import type { ReadonlySignal } from '@preact/signals-core'
import type { Message, MessageCreate } from '../../../contract/index.ts'
import type { ApiClient, Credentials, StopCondition } from '../../api/apiClient.ts'
import { abortOnHold } from './abortOnHold.ts'
import type { PendingMessage } from './pendingMessage.ts'

/**
 * Sends a message until the platform has stored it, the leadership ends, or messages are on hold again. The leadership is the
 * `abortSignal` of the credentials.
 */
export function postMessage(
  { api, isOnHold }: { api: Pick<ApiClient, 'sendMessage'>; isOnHold: ReadonlySignal<boolean> },
  { token, abortSignal: leadership }: Credentials,
  shouldStopRetrying: StopCondition,
  message: MessageCreate,
): Promise<Message | undefined> {
  return abortOnHold(isOnHold, leadership, abortSignal =>
    api.sendMessage({ token, abortSignal }, shouldStopRetrying, message),
  )
}

/** The platform's limit of messages that are sent before another one in the same request. */
export const maxEarlierMessages = 9
/** A browser lets a page that is being left send 64 KiB, and the platform takes 32 KiB in one request. */
const maxLastBytes = 30_000

/**
 * Sends the unsaved messages because the page is being left, and those before them, so that they keep their order. They go in
 * one request, as the order of several would be left to chance. Nothing waits for the response.
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
  const rest = texts
    .slice(0, texts.findLastIndex(isUnsaved) + 1)
    .map(({ id, text, context }) => ({ id, text, context }))
  while (rest.length) {
    const batch = rest.splice(0, countThatFit(rest))
    const last = batch.pop() as MessageCreate
    void api.sendLastMessage(credentials, () => true, batch.length ? { ...last, earlier: batch } : last)
  }
}

/** Returns how many of the messages one request can contain: at least one. */
function countThatFit(messages: readonly MessageCreate[]): number {
  const encoder = new TextEncoder()
  let bytes = 0
  const next = messages.findIndex((message, index) => {
    bytes += encoder.encode(JSON.stringify(message)).length
    return index > maxEarlierMessages || (index > 0 && bytes > maxLastBytes)
  })
  return next < 0 ? messages.length : next
}
