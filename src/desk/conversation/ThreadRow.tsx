import type { ComponentChildren, JSX } from 'preact'
import type { Note } from '../../contract/desk.ts'
import type { Message, MessageWithContext } from '../../contract/index.ts'
import { Link } from '../../widget/ui/links.tsx'
import { Icon } from '../Icon.tsx'
import { fill } from '../i18n/format.ts'
import { useConversation, useStrings, useVisitorName } from './ConversationContext.ts'
import { botPath, lockPath, thumbPath, trashPath } from './icons.ts'
import { MessageFiles } from './MessageFiles.tsx'
import { MessageText } from './MessageText.tsx'
import type { Unsent } from './outbox.ts'
import { isNote, isUnsent, type Row } from './timeline.ts'

interface ThreadRowProps extends Row {
  /** How far the team's last message has come. */
  receipt: 'sent' | 'seen' | undefined
  /** Whether screen readers don't announce it: the member's own, and what was there before. */
  isSilent: boolean
  onRemove(message: Message): void
}

/** A message, a note or an event, with the divider of its day above it. */
export function ThreadRow({ item, startsDay, ...shown }: ThreadRowProps): JSX.Element {
  const { dates } = useConversation()
  return (
    <>
      {startsDay && (
        <p class="notice day" aria-live="off">
          {dates.day(item.createdAt)}
        </p>
      )}
      {isUnsent(item) ? (
        <UnsentRow unsent={item} />
      ) : isNote(item) ? (
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
  message: MessageWithContext
}

function MessageRow({ message, isFirst, isLast, receipt, isSilent, onRemove }: MessageRowProps): JSX.Element {
  const { thread, bot, dates } = useConversation()
  const strings = useStrings()
  const visitorName = useVisitorName()
  const { author, sender, text, attachments, removedAt, rating } = message
  const names = {
    visitor: visitorName,
    bot: bot?.name ?? strings.bot,
    agent: sender?.name === thread.me.name ? strings.you : (sender?.name ?? strings.team),
    system: '',
  }
  const name = names[author]
  const time = dates.time(message.createdAt)
  const classes = ['message', author, isFirst && 'first', isLast && 'last', removedAt && 'removed']
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
      <div class="line">
        <div class="content">
          {attachments && !removedAt && <MessageFiles files={attachments} />}
          {(text || removedAt || !attachments) && (
            <div class="bubble" dir="auto">
              {removedAt ? strings.removed : <MessageText text={text} isMarkdown={message.format === 'markdown'} />}
            </div>
          )}
        </div>
        {!removedAt && (
          <button
            type="button"
            class="icon-button remove"
            aria-label={strings.remove}
            title={strings.remove}
            onClick={() => onRemove(message)}
          >
            <Icon path={trashPath} />
          </button>
        )}
      </div>
      {message.sources && !removedAt && <Sources message={message} />}
      {(isLast || receipt || rating) && (
        <p class="meta">
          <span>{time}</span>
          {receipt && <span>{receipt === 'seen' ? strings.seen : strings.sent}</span>}
          {rating && (
            <span class={rating}>
              <Icon path={thumbPath} /> {rating === 'up' ? strings.ratedUp : strings.ratedDown}
            </span>
          )}
        </p>
      )}
    </article>
  )
}

/** Where an answer has its content from. Other addresses than https are not shown. */
function Sources({ message: { sources = [] } }: { message: Message }): JSX.Element {
  return (
    <ol class="sources" aria-label={useStrings().sources}>
      {sources
        .filter(({ url }) => /^https:\/\//i.test(url))
        .map(({ title, url }, index) => (
          <li key={index}>
            <bdi>
              <Link href={url} text={title} />
            </bdi>
          </li>
        ))}
    </ol>
  )
}

/** What the platform says in the conversation. */
function EventRow({ message, isSilent }: { message: Message; isSilent: boolean }): JSX.Element | null {
  const texts: Record<string, string> = useStrings().events
  const text = message.event === undefined ? message.text : texts[message.event]
  return text ? <Notice text={text} at={message.createdAt} isSilent={isSilent} /> : null
}

function Notice({ text, at, isSilent }: { text: string; at: string; isSilent: boolean }): JSX.Element {
  const { dates } = useConversation()
  return (
    <p class="notice" aria-live={isSilent ? 'off' : undefined}>
      <bdi>{text}</bdi> · {dates.time(at)}
    </p>
  )
}

function NoteRow({ note, isSilent }: { note: Note; isSilent: boolean }): JSX.Element {
  const { author, text, event, createdAt } = note
  const { thread, dates } = useConversation()
  const strings = useStrings()
  const name = author.id === thread.me.id ? strings.you : author.name
  if (event) return <Notice text={fill(strings.noteEvents[event], { name })} at={createdAt} isSilent={isSilent} />
  return (
    <NoteBox name={name} text={text} isSilent={isSilent}>
      {dates.time(createdAt)}
    </NoteBox>
  )
}

interface NoteBoxProps {
  name: string
  text: string
  isSilent: boolean
  /** Its time, or what becomes of it. */
  children: ComponentChildren
}

function NoteBox({ name, text, isSilent, children }: NoteBoxProps): JSX.Element {
  const strings = useStrings()
  return (
    <article
      class="note"
      tabIndex={-1}
      aria-label={fill(strings.noteOf, { name })}
      aria-live={isSilent ? 'off' : undefined}
    >
      <p class="meta">
        <Icon path={lockPath} />
        <bdi>{name}</bdi>
        <span>{strings.noteLabel}</span>
        {children}
      </p>
      <div class="note-text" dir="auto">
        <MessageText text={text} isMarkdown={false} />
      </div>
    </article>
  )
}

/** What is still to be sent, or could not be. */
function UnsentRow({ unsent }: { unsent: Unsent }): JSX.Element {
  const { thread } = useConversation()
  const strings = useStrings()
  const { id, kind, text, attachments, status } = unsent
  const statusText =
    status === 'failed' ? (
      <span class="failure">
        <b>{strings.notSent}</b>{' '}
        <button type="button" class="link" onClick={() => thread.retry(id)}>
          {strings.retry}
        </button>{' '}
        <button type="button" class="link" onClick={() => thread.edit(id)}>
          {strings.edit}
        </button>
      </span>
    ) : (
      <span>{status === 'waiting' ? strings.waitingToSend : strings.sending}</span>
    )
  if (kind === 'note') {
    return (
      <NoteBox name={strings.you} text={text} isSilent>
        {statusText}
      </NoteBox>
    )
  }
  return (
    <article class={`message agent first last ${status}`} tabIndex={-1} aria-label={strings.you} aria-live="off">
      <div class="line">
        <div class="content">
          {attachments.length > 0 && (
            <ul class="files">
              {attachments.map(({ id, name }) => (
                <li key={id} class="file">
                  <bdi class="file-name">{name}</bdi>
                </li>
              ))}
            </ul>
          )}
          {text && (
            <div class="bubble" dir="auto">
              <MessageText text={text} isMarkdown />
            </div>
          )}
        </div>
      </div>
      <p class="meta">{statusText}</p>
    </article>
  )
}
