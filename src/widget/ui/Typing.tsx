import type { JSX } from 'preact'
import { interpolate } from './interpolate.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

export function TypingIndicator(): JSX.Element | null {
  const { botProfile, reply } = useWidget().conversation
  const strings = useStrings()
  const typing = reply.typing.value
  if (!typing) return null
  const { author, sender, thinking, status } = typing
  const profile = botProfile.profile.value
  const name = author === 'agent' ? (sender?.name ?? strings.agent) : (profile?.name ?? strings.chat)
  const text = status || (thinking && strings.thinking)
  return (
    <div class="row first last">
      <div class="bubble">
        <TypingDots name={name} />
        {/* The key is for translators of pages, as in `LiveText`. */}
        {text && (
          <span key={text} dir="auto" lang={status && profile?.locale}>
            {text}
          </span>
        )}
      </div>
    </div>
  )
}

/** The line below a reply that streams in. It has dots while nothing comes, and its height never changes. */
export function ReplyPause({ botName }: { botName: string }): JSX.Element {
  const { reply } = useWidget().conversation
  return <div class="meta">{reply.isPaused.value && <TypingDots name={botName} />}</div>
}

/** Three dots that move. They say that the person or bot of that name is typing. */
function TypingDots({ name }: { name: string }): JSX.Element {
  return (
    <div class="dots" role="img" aria-label={interpolate(useStrings().typing, name)}>
      <i />
      <i />
      <i />
    </div>
  )
}
