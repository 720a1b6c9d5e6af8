import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { initialFocus } from './focus.ts'
import { useFocusHandover } from './hooks/useFocusHandover.ts'
import { Placeholder } from './Placeholder.tsx'
import { SendButton } from './SendButton.tsx'
import { useStrings } from './WidgetContext.ts'

/** In the place of the conversation while the site has still to say who is signed in. It keeps the focus for the composer. */
export function HiddenConversation(): JSX.Element {
  const strings = useStrings()
  const form = useRef<HTMLFormElement>(null)
  useFocusHandover(form, initialFocus)
  return (
    <>
      <div class="log">
        <Placeholder />
      </div>
      <form part="composer" ref={form} onSubmit={event => event.preventDefault()}>
        <div class="field">
          <textarea rows={1} readOnly aria-label={strings.writeMessage} placeholder={strings.writeMessage} />
        </div>
        <SendButton disabled />
      </form>
    </>
  )
}
