import type { JSX } from 'preact'
import { Composer } from './Composer.tsx'
import { LazyTranscript } from './LazyTranscript.tsx'
import { SignInPrompt } from './SignInPrompt.tsx'
import { useWidget } from './WidgetContext.ts'

/**
 * Everything that belongs to one session. The panel keys it by the session's scope, so that nothing a browser keeps for an
 * element (the undo history of the text field, selection, scroll) passes from one person to the next.
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
