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

/** Sends messages because the page is being left. Nothing waits for the response. */
export function postLastMessages(
  api: Pick<ApiClient, 'sendLastMessage'>,
  token: string,
  messages: readonly PendingMessage[],
): void {
  const credentials = { token, abortSignal: new AbortController().signal }
  for (const { id, text, context, files } of messages) {
    // Uploads would take too long.
    if (!files) void api.sendLastMessage(credentials, () => true, { id, text, context })
  }
}
