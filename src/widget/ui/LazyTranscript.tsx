import type { JSX } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import { RetryAlert } from './elements.tsx'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { useStrings } from './WidgetContext.ts'

/** Renders the transcript once its chunk is loaded, in a separate task. The composer is painted first. */
export function LazyTranscript(): JSX.Element {
  const transcript = useContext(LazyPartsContext)?.transcript
  const strings = useStrings()
  const loaded = transcript?.part.value
  const dates = loaded?.lazyDates.dates.value
  // Effects run after the paint, so loading doesn't delay the composer.
  useEffect(() => void transcript?.load(), [])
  useEffect(() => {
    if (!dates) loaded?.lazyDates.load()
  }, [loaded])
  if (loaded && dates) return <loaded.Transcript dates={dates} />
  return (
    <div class="log">
      {transcript?.hasFailed.value && <RetryAlert text={strings.renderFailed} onRetry={transcript.load} />}
    </div>
  )
}
