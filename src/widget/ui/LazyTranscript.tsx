import type { JSX } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { LinkButton } from './LinkButton.tsx'
import { useStrings } from './WidgetContext.ts'

/**
 * Renders the transcript once its chunk has been fetched, in a task of its own. The composer is painted before it.
 */
export function LazyTranscript(): JSX.Element {
  const transcript = useContext(LazyPartsContext)?.transcript
  const strings = useStrings()
  const loaded = transcript?.part.value
  const dates = loaded?.lazyDates.dates.value
  // Effects run after the paint.
  useEffect(() => void transcript?.load(), [])
  useEffect(() => {
    if (!dates) loaded?.lazyDates.load()
  }, [loaded])
  if (loaded && dates) return <loaded.Transcript dates={dates} />
  return (
    <div class="log">
      {transcript?.hasFailed.value && (
        <p class="rule" role="alert">
          {strings.renderFailed}
          <LinkButton onClick={transcript.load}>{strings.retry}</LinkButton>
        </p>
      )}
    </div>
  )
}
