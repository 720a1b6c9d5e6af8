import type { JSX } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { Composer, SendButton } from './Composer.tsx'
import { Placeholder, RetryAlert } from './elements.tsx'
import { focusOn, initialFocus } from './focus.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

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

/** Renders the transcript once its chunk is loaded, in a separate task. The composer is painted first. */
function LazyTranscript(): JSX.Element {
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

/** Replaces the composer if the bot is only for people who are signed in, and nobody is. */
function SignInPrompt(): JSX.Element {
  const { signIn } = useWidget()
  const request = (event: Event) => {
    event.preventDefault()
    signIn.request()
  }
  return (
    <form part="composer" onSubmit={request}>
      <button type="submit" class="sign-in">
        {useStrings().signIn}
      </button>
    </form>
  )
}

/**
 * Replaces the conversation until the site has said who is signed in, or if its response is invalid. The read-only field
 * keeps the focus for the composer.
 */
export function HiddenConversation(): JSX.Element {
  const { signIn } = useWidget()
  const strings = useStrings()
  const form = useRef<HTMLFormElement>(null)
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
