import type { JSX } from 'preact'
import { LinkButton } from './LinkButton.tsx'
import { useStrings } from './WidgetContext.ts'

interface RetryAlertProps {
  /** What has failed. */
  text: string
  onRetry: () => unknown
}

/** Says in the transcript that something has failed, and offers to try again. */
export function RetryAlert({ text, onRetry }: RetryAlertProps): JSX.Element {
  return (
    <p class="rule" role="alert">
      {text}
      <LinkButton onClick={onRetry}>{useStrings().retry}</LinkButton>
    </p>
  )
}
