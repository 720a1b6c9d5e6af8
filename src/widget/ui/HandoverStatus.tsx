import type { JSX } from 'preact'
import { RetryAlert } from './elements.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** What becomes of the visitor's request for a person, until the platform has it. */
export function HandoverStatus(): JSX.Element | null {
  const { handoverRequest, connection } = useWidget().conversation
  const strings = useStrings()
  const status = handoverRequest.status.value
  if (status === 'none') return null
  const text = status === 'failed' ? strings.failed : connection.value === 'offline' ? strings.waiting : strings.sending
  const line = `${strings.talkToPerson} · ${text}`
  return status === 'failed' ? <RetryAlert text={line} onRetry={handoverRequest.send} /> : <p class="rule">{line}</p>
}
