import type { JSX } from 'preact'
import type { DeskConversation } from '../../contract/desk.ts'
import { Avatar } from '../Avatar.tsx'
import { useDesk } from '../DeskContext.ts'
import { describeRow } from './describeRow.ts'

interface InboxRowProps {
  conversation: DeskConversation
  isSelected: boolean
  /** Whether the Tab key reaches it. */
  isTabStop: boolean
}

/** A conversation in the list. */
export function InboxRow({ conversation, isSelected, isTabStop }: InboxRowProps): JSX.Element {
  const { inbox, strings, format, current, now } = useDesk()
  const { id, contact, lastMessageAt, unseen } = conversation
  const excerpt = inbox.excerpts.value[id]
  const texts = describeRow(conversation, { strings, format, me: current.member, now: now.value, excerpt })
  return (
    <a
      class="inbox-row"
      href={inbox.hrefOf(id)}
      aria-label={texts.label}
      aria-current={isSelected ? 'page' : undefined}
      tabIndex={isTabStop ? 0 : -1}
      data-id={id}
    >
      <Avatar name={contact?.name} />
      <span class="row-name">
        <bdi>{texts.name}</bdi>
      </span>
      <time class="row-time" dateTime={lastMessageAt}>
        {format.moment(lastMessageAt, now.value)}
      </time>
      <span class="row-line">
        <span class={unseen > 0 ? 'row-text unseen' : 'row-text'} dir="auto">
          {excerpt ? (
            <>
              {excerpt.before}
              <mark>{excerpt.match}</mark>
              {excerpt.after}
            </>
          ) : (
            texts.preview
          )}
        </span>
        {unseen > 0 && <span class="row-count">{format.number(unseen)}</span>}
      </span>
      {texts.state && (
        <span class={`row-state ${conversation.state}${texts.isOverdue ? ' overdue' : ''}`}>
          <bdi>{texts.state}</bdi>
        </span>
      )}
    </a>
  )
}
