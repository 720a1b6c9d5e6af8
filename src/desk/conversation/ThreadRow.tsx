import type { JSX } from 'preact'
import type { Message } from '../../contract/index.ts'
import { Sources } from '../../widget/ui/Sources.tsx'
import { useDesk } from '../DeskContext.ts'
import { botPath, Icon, lockPath, thumbPath, trashPath } from '../Icon.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts, useVisitorName } from './ConversationContext.ts'
import { MessageFiles } from './MessageFiles.tsx'
import { MessageText } from './MessageText.tsx'
import { isNote, isUnsent, type MessageItem, type NoteItem, type TimelineItem, type TimelineRow } from './timeline.ts'

interface ThreadRowProps extends TimelineRow {
  /** How far the team's last message has come. */
  receipt: 'sent' | 'read' | undefined
  /** Whether screen readers don't announce it: the member's own, and what was there before. */
  isSilent: boolean
  onRemove(message: Message): void
}

/** A message, a note or an event, with the divider of its day above it. */
export function ThreadRow({ item, startsDay, ...shown }: ThreadRowProps): JSX.Element {
  const { format } = useDesk()
  return (
    <>
      {startsDay && (
        <p class="notice day" aria-live="off">
          {format.day(item.createdAt)}
        </p>
      )}
      {isNote(item) ? (
        <NoteRow note={item} isSilent={shown.isSilent} />
      ) : item.event !== undefined || item.author === 'system' ? (
        <EventRow message={item} isSilent={shown.isSilent} />
      ) : (
        <MessageRow message={item} {...shown} />
      )}
    </>
  )
}

interface MessageRowProps extends Omit<ThreadRowProps, 'item' | 'startsDay'> {
  message: MessageItem
}

function MessageRow({ message, isFirst, isLast, receipt, isSilent, onRemove }: MessageRowProps): JSX.Element {
  const { format } = useDesk()
  const { thread, bot } = useConversation()
  const texts = useConversationTexts()
  const visitorName = useVisitorName()
  const { author, sender, memberId, text, attachments, removedAt, rating } = message
  const names = {
    visitor: visitorName,
    bot: bot?.name ?? texts.bot,
    agent: memberId === thread.me.id ? texts.you : (sender?.name ?? texts.team),
    system: '',
  }
  const name = names[author]
  const time = format.time(message.createdAt)
  const classes = ['message', author, isFirst && 'first', isLast && 'last', removedAt && 'removed', message.status]
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      tabIndex={-1}
      aria-label={`${name}, ${time}`}
      aria-live={isSilent ? 'off' : undefined}
    >
      {isFirst && (
        <p class="author" aria-hidden="true">
          {author === 'bot' && <Icon path={botPath} />}
          <bdi>{name}</bdi>
        </p>
      )}
      <div class="message-line">
        <div class="message-content">
          {attachments && !removedAt && <MessageFiles files={attachments} />}
          {(text || removedAt || !attachments) && (
            <div class="bubble">
              <div dir="auto">
                {removedAt ? texts.removed : <MessageText text={text} isMarkdown={message.format === 'markdown'} />}
              </div>
            </div>
          )}
        </div>
        {!removedAt && !isUnsent(message) && (
          <button
            type="button"
            class="icon-button remove"
            aria-label={texts.remove}
            title={texts.remove}
            onClick={() => onRemove(message)}
          >
            <Icon path={trashPath} />
          </button>
        )}
      </div>
      {message.sources && !removedAt && <Sources sources={message.sources} label={texts.sources} />}
      {(isLast || receipt || rating || isUnsent(message)) && (
        <p class="meta">
          {isUnsent(message) ? <SendStatus item={message} /> : <span>{time}</span>}
          {receipt && <span>{receipt === 'read' ? texts.read : texts.sent}</span>}
          {rating && (
            <span class={rating}>
              <Icon path={thumbPath} /> {rating === 'up' ? texts.ratedUp : texts.ratedDown}
            </span>
          )}
        </p>
      )}
    </article>
  )
}

/** What the platform says in the conversation. */
function EventRow({ message, isSilent }: { message: Message; isSilent: boolean }): JSX.Element | null {
  const texts: Record<string, string> = useConversationTexts().events
  const text = message.event === undefined ? message.text : texts[message.event]
  return text ? <Notice text={text} at={message.createdAt} isSilent={isSilent} /> : null
}

function Notice({ text, at, isSilent }: { text: string; at: string; isSilent: boolean }): JSX.Element {
  const { format } = useDesk()
  return (
    <p class="notice" aria-live={isSilent ? 'off' : undefined}>
      <bdi>{text}</bdi> · {format.time(at)}
    </p>
  )
}

function NoteRow({ note, isSilent }: { note: NoteItem; isSilent: boolean }): JSX.Element {
  const { author, text, event, createdAt } = note
  const { format } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const name = author.id === thread.me.id ? texts.you : author.name
  if (event) return <Notice text={interpolate(texts.noteEvents[event], { name })} at={createdAt} isSilent={isSilent} />
  return (
    <article
      class="note"
      tabIndex={-1}
      aria-label={interpolate(texts.noteOf, { name })}
      aria-live={isSilent ? 'off' : undefined}
    >
      <p class="meta">
        <Icon path={lockPath} />
        <bdi>{name}</bdi>
        <span>{texts.noteLabel}</span>
        {isUnsent(note) ? <SendStatus item={note} /> : format.time(createdAt)}
      </p>
      <div class="note-text" dir="auto">
        <MessageText text={text} isMarkdown={false} />
      </div>
    </article>
  )
}

/** What becomes of what is still to be sent. */
function SendStatus({ item: { id, status } }: { item: TimelineItem }): JSX.Element {
  const { thread } = useConversation()
  const texts = useConversationTexts()
  if (status !== 'failed') return <span>{status === 'waiting' ? texts.waitingToSend : texts.sending}</span>
  return (
    <span class="failure">
      <b>{texts.notSent}</b>{' '}
      <button type="button" class="link" onClick={() => thread.edit(id)}>
        {texts.edit}
      </button>
    </span>
  )
}
