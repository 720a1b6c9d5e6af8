import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { interpolate } from '../i18n/format.ts'
import { modKey } from '../keys.ts'
import { findVariable } from '../savedReplies/variables.ts'
import { useConversation, useConversationTexts, useVisitorName } from './ConversationContext.ts'

/** Above the field: why something was not sent, who else writes, or who answers if it is not the member. */
export function ComposerBanner(): JSX.Element | null {
  const { strings } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const visitorName = useVisitorName()
  const { state, assignee } = thread.conversation.value
  const obstacle = thread.obstacle.value
  const isReply = thread.mode.value === 'reply'

  if (obstacle && (isReply || obstacle.kind === 'action_failed')) {
    const { text, action } = {
      action_failed: { text: strings.app.actionFailed, action: null },
      claimed_by_other: {
        text: texts.claimedByOther,
        action: (
          <button type="button" class="button" onClick={() => void thread.claim(assignee?.id ?? null)}>
            {texts.claim}
          </button>
        ),
      },
      answered_meanwhile: {
        text: texts.answeredMeanwhile,
        action: (
          <button type="submit" class="button">
            {texts.sendAnyway}
          </button>
        ),
      },
    }[obstacle.kind]
    const name = ('name' in obstacle && obstacle.name) || texts.someone
    return (
      <div class="banner obstacle" role="alert">
        <p>{interpolate(text, { name })}</p>
        {action}
      </div>
    )
  }
  const unfilled = isReply ? findVariable(thread.drafts.texts.value.reply) : null
  if (unfilled)
    return (
      <p class="banner obstacle" role="alert">
        {interpolate(strings.saved.unfilled, { variable: unfilled.variable })}
      </p>
    )
  const typing = thread.typists.value.flatMap(typist => typist?.name ?? [])
  if (typing.length > 0) return <p class="banner">{interpolate(texts.visitorTypes, { name: typing.join(', ') })}</p>
  if (isReply && thread.person.value.isBlocked) return <p class="banner obstacle">{texts.blocked}</p>
  if (!isReply || assignee?.id === thread.me.id) return null
  if (assignee) return <p class="banner">{interpolate(texts.memberAnswers, { name: assignee.name })}</p>
  if (state === 'closed') return <p class="banner">{texts.isClosed}</p>
  if (state === 'open') return null
  return (
    <p class="banner">
      {state === 'bot' ? texts.botAnswers : interpolate(texts.visitorWaits, { name: visitorName })}
      <span>
        {texts.claim} <kbd dir="ltr">{modKey} ⏎</kbd>
      </span>
    </p>
  )
}
