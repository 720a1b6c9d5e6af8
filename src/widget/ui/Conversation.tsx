import type { JSX } from 'preact'
import { Composer } from './Composer.tsx'
import { LazyTranscript } from './LazyTranscript.tsx'
import { SignInPrompt } from './SignInPrompt.tsx'
import { useWidget } from './WidgetContext.ts'

/**
 * Everything that belongs to one session. The panel uses the session's scope as the key, so that no browser state of an
 * element (undo history, selection, scroll position) passes from one person to the next.
 */
export function Conversation(): JSX.Element {
  const { signIn } = useWidget()
  return (
    <>
      <LazyTranscript />
      {signIn.isRequired.value ? <SignInPrompt /> : <Composer />}
    </>
  )
}
