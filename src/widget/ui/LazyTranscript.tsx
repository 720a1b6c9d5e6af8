import type { JSX } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { LinkButton } from './LinkButton.tsx'
import type { LazyDates } from './lazyDates.ts'
import { useStrings } from './WidgetContext.ts'

/**
 * The transcript comes behind the composer, which is painted first: it is fetched as a chunk of its own, and follows in a task
 * of its own.
 */
export function LazyTranscript({ lazyDates }: { lazyDates: LazyDates }): JSX.Element {
  const transcript = useContext(LazyPartsContext)?.transcript
  const strings = useStrings()
  const dates = lazyDates.dates.value
  // An effect runs after the paint.
  useEffect(() => {
    transcript?.load()
    if (!dates) lazyDates.load()
  }, [])
  const Transcript = transcript?.part.value
  if (Transcript && dates) return <Transcript dates={dates} />
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
