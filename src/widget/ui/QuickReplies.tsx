import type { JSX } from 'preact'
import { useWidget } from './WidgetContext.ts'

/** Buttons with suggested replies: those of the last message, or the bot's own below its greeting. */
export function QuickReplies(): JSX.Element | null {
  const { signIn, conversation } = useWidget()
  const { botProfile, messageStore, outbox } = conversation
  const isEmpty = messageStore.history.value === 'complete'
  const source = messageStore.messages.value.at(-1) ?? (isEmpty ? botProfile.profile.value : null)
  if (signIn.isRequired.value || outbox.pending.value.length > 0 || !source?.quickReplies) return null
  return (
    <div class="replies">
      {[...new Set(source.quickReplies)].map(text => (
        <button type="button" key={text} class="reply" dir="auto" onClick={() => outbox.send(text)}>
          {text}
        </button>
      ))}
    </div>
  )
}
