import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { backPath, Icon, personPath } from '../Icon.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts, useVisitorName } from './ConversationContext.ts'

interface ThreadHeaderProps {
  isPersonShown: boolean
  onTogglePerson(): void
}

/** Who the visitor is, who answers, and what the member can do about it. */
export function ThreadHeader({ isPersonShown, onTogglePerson }: ThreadHeaderProps): JSX.Element {
  const { inbox } = useDesk()
  const { thread, bot } = useConversation()
  const texts = useConversationTexts()
  const name = useVisitorName()
  const isActing = useSignal(false)
  const { state, assignee } = thread.conversation.value
  const viewers = thread.viewers.value.filter(({ id }) => id !== assignee?.id).map(({ name }) => name)

  const button = (text: string, key: string, action: () => Promise<unknown>, isPrimary = false) => (
    <button
      type="button"
      class={isPrimary ? 'button primary' : 'button'}
      disabled={isActing.value}
      title={`${text} (${key})`}
      aria-keyshortcuts={key}
      onClick={async () => {
        isActing.value = true
        await action()
        isActing.value = false
      }}
    >
      {text}
    </button>
  )
  const isMine = assignee?.id === thread.me.id

  return (
    <header class="thread-header">
      <a class="icon-button back" href={inbox.hrefOf(null)} aria-label={texts.back}>
        <Icon path={backPath} />
      </a>
      <div class="who">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p class="meta">
          <State />
          {viewers.length > 0 && (
            <span class="viewers">
              {interpolate(viewers.length === 1 ? texts.viewers : texts.manyViewers, { names: viewers.join(', ') })}
            </span>
          )}
        </p>
      </div>
      <div class="buttons">
        {state !== 'closed' && !isMine && button(texts.claim, 'A', () => thread.claim(assignee?.id ?? null), true)}
        {state === 'open' && isMine && bot?.hasResponder && button(texts.handBack, 'H', thread.handBack)}
        {state === 'closed'
          ? !thread.person.value.isBlocked && button(texts.reopen, 'E', thread.reopen)
          : button(texts.close, 'E', thread.close)}
      </div>
      <button
        type="button"
        class="icon-button show-person"
        aria-label={texts.showPerson}
        aria-expanded={isPersonShown}
        aria-controls="person"
        onClick={onTogglePerson}
      >
        <Icon path={personPath} />
      </button>
    </header>
  )
}

/** Who answers, in words. */
function State(): JSX.Element {
  const { format, now } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const { state, assignee, waitingSince, pausedUntil } = thread.conversation.value
  if (state === 'waiting' && waitingSince) {
    const duration = format.duration(now.value - Date.parse(waitingSince), 'short')
    return <span class="waiting">{interpolate(texts.waiting, { duration })}</span>
  }
  if (state === 'closed') return <span>{texts.closed}</span>
  if (assignee)
    return (
      <span>{assignee.id === thread.me.id ? texts.byYou : interpolate(texts.byMember, { name: assignee.name })}</span>
    )
  return <span>{pausedUntil ? interpolate(texts.byServer, { time: format.time(pausedUntil) }) : texts.byBot}</span>
}
