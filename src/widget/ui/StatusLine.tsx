import type { JSX } from 'preact'
import type { Strings } from '../i18n/en.ts'
import type { Connection } from '../models/conversation/conversation.ts'
import type { SessionStatus } from '../models/session/sessionModel.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** How session and connection stand; empty when all is well. */
export function StatusLine(): JSX.Element {
  const { session, conversation } = useWidget()
  return (
    <p class="status" role="status">
      {statusText(conversation.connection.value, session.status.value, useStrings())}
    </p>
  )
}

function statusText(connection: Connection, status: SessionStatus, strings: Strings): string | undefined {
  if (connection === 'offline') return strings.offline
  if (status === 'restoring' || status === 'identifying') return strings[status]
  if (connection === 'connecting' || connection === 'reconnecting') return strings[connection]
  return undefined
}
