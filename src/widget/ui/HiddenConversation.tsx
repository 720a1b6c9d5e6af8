import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { RetryAlert } from './elements.tsx'
import { focusOn, initialFocus, useFocusHandover } from './focus.ts'
import { Placeholder } from './Placeholder.tsx'
import { SendButton } from './SendButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/**
 * Replaces the conversation until the site has said who is signed in, or if its response is invalid. The read-only field
 * keeps the focus for the composer.
 */
export function HiddenConversation(): JSX.Element {
  const { signIn } = useWidget()
  const strings = useStrings()
  const form = useRef<HTMLFormElement>(null)
  useFocusHandover(form, initialFocus)
  const retry = () => {
    // The button is about to be removed together with its focus.
    if (form.current) focusOn(form.current, initialFocus)
    signIn.retry()
  }
  return (
    <>
      <div class="log">
        {signIn.hasFailed.value ? <RetryAlert text={strings.renderFailed} onRetry={retry} /> : <Placeholder />}
      </div>
      <form part="composer" ref={form} onSubmit={event => event.preventDefault()}>
        <div class="field">
          <textarea rows={1} readOnly aria-label={strings.writeMessage} placeholder={strings.oneMoment} />
        </div>
        <SendButton disabled />
      </form>
    </>
  )
}
