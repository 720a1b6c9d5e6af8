import type { JSX } from 'preact'
import { LinkButton } from './LinkButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/**
 * Stands above the first message that is loaded: older ones are on their way, or could not be loaded. Without a message it
 * stands alone in the transcript.
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
  if (history === 'failed') {
    return (
      <p class="rule" role="alert">
        {strings.historyFailed}
        <LinkButton onClick={messageStore.loadOlder}>{strings.retry}</LinkButton>
      </p>
    )
  }
  if (history === 'complete' || !hasRows) return null
  // Offline nothing is being loaded. The line is rendered all the same, so that no message moves.
  const isLoading = history === 'loading' && connection.value !== 'offline'
  return <p class="rule">{isLoading && strings.loadingOlder}</p>
}
