import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Message, MessageCreate } from '../../../contract/index.ts'
import type { ApiClient, Credentials, StopCondition } from '../../api/apiClient.ts'

/**
 * Sends a message until the platform has stored it, the leadership ends, or messages are on hold again. The leadership is the
 * `abortSignal` of the credentials.
 */
export async function postMessage(
  { api, isOnHold }: { api: Pick<ApiClient, 'sendMessage'>; isOnHold: ReadonlySignal<boolean> },
  { token, abortSignal: leadership }: Credentials,
  shouldStopRetrying: StopCondition,
  message: MessageCreate,
): Promise<Message | undefined> {
  const sending = new AbortController()
  const stop = () => sending.abort(0)
  const unsubscribe = effect(() => {
    if (isOnHold.value) stop()
  })
  leadership.addEventListener('abort', stop)
  if (leadership.aborted) stop()
  const stored = await api.sendMessage({ token, abortSignal: sending.signal }, shouldStopRetrying, message)
  leadership.removeEventListener('abort', stop)
  unsubscribe()
  return stored
}
