import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { initialFocus, useFocusHandover } from './focus.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Replaces the composer if the bot is only for people who are signed in, and nobody is. */
export function SignInPrompt(): JSX.Element {
  const { signIn } = useWidget()
  const form = useRef<HTMLFormElement>(null)
  useFocusHandover(form, initialFocus)
  const request = (event: Event) => {
    event.preventDefault()
    signIn.request()
  }
  return (
    <form part="composer" ref={form} onSubmit={request}>
      <button type="submit" class="sign-in">
        {useStrings().signIn}
      </button>
    </form>
  )
}
