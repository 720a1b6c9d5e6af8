import type { JSX } from 'preact'
import type { WidgetModels } from '../app/createApp.ts'
import type { Strings } from '../i18n/en.ts'
import { useHasLasted } from './hooks/useHasLasted.ts'
import { LiveText } from './LiveText.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Most connections are open sooner. Visitors would see a flicker otherwise, and screen readers would announce it. */
const connectingDelayMs = 1000

/** The status of session and connection, or the bot's subtitle if there is no problem. Only the former is announced. */
export function StatusLine(): JSX.Element {
  const models = useWidget()
  const isConnecting = ['connecting', 'reconnecting'].includes(models.conversation.connection.value)
  const isSlow = useHasLasted(isConnecting, connectingDelayMs)
  const text = statusText(models, useStrings(), isSlow)
  const subtitle = models.conversation.botProfile.profile.value?.subtitle
  return (
    <>
      <p class="status" role="status">
        <LiveText text={text} />
      </p>
      {!text && subtitle && (
        <p class="status">
          <bdi>{subtitle}</bdi>
        </p>
      )}
    </>
  )
}

function statusText(
  { session, signIn, conversation }: WidgetModels,
  strings: Strings,
  isSlow: boolean,
): string | undefined {
  const connection = conversation.connection.value
  const status = session.status.value
  if (connection === 'offline') return strings.offline
  if (signIn.isViewHidden.value) {
    if (signIn.hasFailed.value) return undefined
    return signIn.isUnreachable.value ? strings.reconnecting : strings.restoring
  }
  if (status === 'restoring' || status === 'identifying') return strings[status]
  // The transcript says what has failed, and offers to try again.
  if (conversation.messageStore.history.value === 'failed') return undefined
  if (isSlow && (connection === 'connecting' || connection === 'reconnecting')) return strings[connection]
  return undefined
}
