import type { JSX } from 'preact'
import { LiveText } from './LiveText.tsx'
import { RetryAlert } from './RetryAlert.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/**
 * Shown above the first loaded message: older messages are loading, or could not be loaded. Without any message it is alone
 * in the transcript.
 */
export function HistoryStatus({ hasRows }: { hasRows: boolean }): JSX.Element | null {
  const { messageStore, connection } = useWidget().conversation
  const strings = useStrings()
  const history = messageStore.history.value
  if (history === 'failed' && !hasRows) {
    return (
      <div class="failure" role="alert">
        <p>{strings.historyFailed}</p>
        <button type="button" onClick={messageStore.loadOlder}>
          {strings.retry}
        </button>
      </div>
    )
  }
  if (history === 'failed') return <RetryAlert text={strings.historyFailed} onRetry={messageStore.loadOlder} />
  if (history === 'complete' || !hasRows) return null
  // Nothing loads while offline. An empty line is rendered nevertheless, so that the messages don't move.
  const isLoading = history === 'loading' && connection.value !== 'offline'
  return (
    <p class="rule">
      <LiveText text={isLoading && strings.loadingOlder} />
    </p>
  )
}
