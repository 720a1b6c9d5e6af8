import type { JSX } from 'preact'
import { focusOn, initialFocus } from './focus.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Buttons with suggested replies: those of the last message, or the bot's own below its greeting. */
export function QuickReplies(): JSX.Element | null {
  const { signIn, conversation } = useWidget()
  const { botProfile, messageStore, outbox } = conversation
  const { lang } = useStrings()
  const isEmpty = messageStore.history.value === 'complete'
  const profile = botProfile.profile.value
  const message = messageStore.messages.value.at(-1)
  const source = message ?? (isEmpty ? profile : null)
  if (signIn.isRequired.value || !signIn.canWrite.value || outbox.pending.value.length > 0 || !source?.quickReplies)
    return null
  const send = (event: Event, text: string) => {
    // The button goes. By touch the composer would bring up the keyboard, over what comes next.
    if (matchMedia('(pointer: fine)').matches) {
      focusOn((event.currentTarget as Element).getRootNode() as ShadowRoot, initialFocus)
    }
    outbox.send(text)
  }
  return (
    <div class="replies" lang={(message?.author !== 'agent' && profile?.locale) || lang}>
      {[...new Set(source.quickReplies)].map(text => (
        <button type="button" key={text} class="reply" dir="auto" onClick={event => send(event, text)}>
          {text}
        </button>
      ))}
    </div>
  )
}
