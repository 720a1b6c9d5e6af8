import type { JSX } from 'preact'
import type { WidgetModels } from '../app/createApp.ts'
import type { Strings } from '../i18n/en.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** The status of session and connection. Empty if there is no problem. */
export function StatusLine(): JSX.Element {
  return (
    <p class="status" role="status">
      {statusText(useWidget(), useStrings())}
    </p>
  )
}

function statusText({ session, signIn, conversation }: WidgetModels, strings: Strings): string | undefined {
  const connection = conversation.connection.value
  const status = session.status.value
  if (connection === 'offline') return strings.offline
  if (signIn.isViewHidden.value) {
    if (signIn.hasFailed.value) return undefined
    return signIn.isUnreachable.value ? strings.reconnecting : strings.restoring
  }
  if (status === 'restoring' || status === 'identifying') return strings[status]
  if (connection === 'connecting' || connection === 'reconnecting') return strings[connection]
  return undefined
}
