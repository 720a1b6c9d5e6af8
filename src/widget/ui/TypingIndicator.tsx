import type { JSX } from 'preact'
import { interpolate } from './interpolate.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Three dots while the bot or a team member is typing. */
export function TypingIndicator(): JSX.Element | null {
  const { botProfile, reply } = useWidget().conversation
  const strings = useStrings()
  const author = reply.typing.value
  if (!author) return null
  const name = author === 'agent' ? strings.agent : (botProfile.profile.value?.name ?? strings.chat)
  return (
    <div class="row first last">
      <div class="bubble dots" role="img" aria-label={interpolate(strings.typing, name)}>
        <i />
        <i />
        <i />
      </div>
    </div>
  )
}
