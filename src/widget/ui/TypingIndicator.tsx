import type { JSX } from 'preact'
import { TypingDots } from './TypingDots.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** A bubble with three dots while the bot or a team member is typing. */
export function TypingIndicator(): JSX.Element | null {
  const { botProfile, reply } = useWidget().conversation
  const strings = useStrings()
  const typing = reply.typing.value
  if (!typing) return null
  const { author, sender } = typing
  const name = author === 'agent' ? (sender?.name ?? strings.agent) : (botProfile.profile.value?.name ?? strings.chat)
  return (
    <div class="row first last">
      <div class="bubble">
        <TypingDots name={name} />
      </div>
    </div>
  )
}
