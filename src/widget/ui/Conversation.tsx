import type { JSX } from 'preact'
import { Composer } from './Composer.tsx'
import { LazyTranscript } from './LazyTranscript.tsx'

/**
 * Everything that belongs to one session. The panel keys it by the session's scope, so that nothing a browser keeps for an
 * element (the undo history of the text field, selection, scroll) passes from one person to the next.
 */
export function Conversation(): JSX.Element {
  return (
    <>
      <LazyTranscript />
      <Composer />
    </>
  )
}
