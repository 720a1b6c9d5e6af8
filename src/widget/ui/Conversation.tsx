import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Composer } from './Composer.tsx'
import type { LazyDates } from './lazyDates.ts'
import { Transcript } from './Transcript.tsx'

/**
 * Everything that belongs to one session. The panel keys it by the session's scope, so that nothing a browser keeps for an
 * element (the undo history of the text field, selection, scroll) passes from one person to the next.
 *
 * When the panel is opened for the first time, the composer comes first and is painted. The transcript follows in a task
 * of its own.
 */
export function Conversation({ lazyDates }: { lazyDates: LazyDates }): JSX.Element {
  const dates = lazyDates.dates.value
  // An effect runs after the paint.
  useEffect(() => {
    if (!dates) lazyDates.load()
  }, [])
  return (
    <>
      {dates ? <Transcript dates={dates} /> : <div class="log" />}
      <Composer />
    </>
  )
}
