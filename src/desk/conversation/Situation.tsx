import type { JSX } from 'preact'
import { fill } from '../i18n/format.ts'
import { useConversation, useStrings, useVisitorName } from './ConversationContext.ts'
import { modEnter } from './modEnter.ts'

/** Above the field: who answers if it is not the member, who else writes, and why something was not sent. */
export function Situation(): JSX.Element | null {
  const { thread } = useConversation()
  const strings = useStrings()
  const visitorName = useVisitorName()
  const { state, assignee } = thread.conversation.value
  const obstacle = thread.obstacle.value
  const name = (obstacle && 'name' in obstacle && obstacle.name) || strings.someone
  const claim = (shortcut = '') => (
    <button type="button" class="button" onClick={() => void thread.claim(assignee?.id ?? null)}>
      {strings.claim} {shortcut && <kbd>{shortcut}</kbd>}
    </button>
  )

  if (obstacle?.kind === 'action_failed') {
    return (
      <p class="situation obstacle" role="alert">
        {strings.actionFailed}
      </p>
    )
  }
  const isNote = thread.mode.value === 'note'
  if (!isNote && obstacle?.kind === 'claimed_by_other') {
    return (
      <div class="situation obstacle" role="alert">
        <p>{fill(strings.claimedByOther, { name })}</p>
        {claim()}
      </div>
    )
  }
  if (!isNote && obstacle?.kind === 'answered_meanwhile') {
    return (
      <div class="situation obstacle" role="alert">
        <p>{fill(strings.answeredMeanwhile, { name })}</p>
        <button type="submit" class="button">
          {strings.sendAnyway}
        </button>
      </div>
    )
  }
  const typing = thread.typists.value.flatMap(typist => typist?.name ?? [])
  if (typing.length > 0) return <p class="situation">{fill(strings.visitorTypes, { name: typing.join(', ') })}</p>
  if (isNote) return null
  if (assignee && assignee.id !== thread.me.id) {
    return (
      <div class="situation">
        <p>{fill(strings.memberAnswers, { name: assignee.name })}</p>
        {claim()}
      </div>
    )
  }
  if (state === 'bot' || state === 'waiting') {
    return (
      <div class="situation">
        <p>{state === 'bot' ? strings.botAnswers : fill(strings.visitorWaits, { name: visitorName })}</p>
        {claim(modEnter)}
      </div>
    )
  }
  return state === 'closed' ? <p class="situation">{strings.isClosed}</p> : null
}
