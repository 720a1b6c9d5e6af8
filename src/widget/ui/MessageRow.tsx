import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import type { Dates } from './dates.ts'
import { Avatar, Icon, LinkButton } from './elements.tsx'
import { eventTexts, type Row, type TranscriptItem } from './groupMessages.ts'
import { interpolate } from './interpolate.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { TeamBack } from './TeamBack.tsx'
import { ReplyPause } from './Typing.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

interface MessageRowProps extends Row {
  botName: string | undefined
  /** The language in which the bot writes. */
  botLocale: string | undefined
  hasRatings: boolean
  dates: Dates
  /** Whether screen readers don't announce it: the visitor's own message, or one from before the chat was opened. */
  isSilent: boolean
  /** Whether rows are being mounted because messages came, and not because the visitor has scrolled to them. */
  hasListChanged: RefObject<boolean>
  /** Whether it is the event since which the visitor waits for a person. */
  awaitsPerson: boolean
}

/** Whether Chrome or Google's script translates the page. */
const isPageTranslated = () => document.documentElement.className.includes('translated-')

/**
 * A message with the dividers above and the status below it. It renders again only when one of its props or the language
 * changes: `@preact/signals` compares the props of each component that reads a signal, as `useStrings()` does.
 */
export function MessageRow(props: MessageRowProps): JSX.Element {
  const { item, isFirst, isLast, startsDay, isFirstUnread, takeover, showsTime, status } = props
  const { botName, botLocale, dates, isSilent, hasListChanged } = props
  const strings = useStrings()
  const files = item.attachments ?? item.files
  const MessageFiles = useLazyPart('attachments', !!files)?.MessageFiles
  const { author } = item
  const isAnswer = item.seq !== undefined && (author === 'bot' || author === 'agent') && !item.removedAt
  const isRated = isAnswer && props.hasRatings
  const { RatingButtons, Sources } = useLazyPart('more', isRated || !!item.sources) ?? {}
  const authorName =
    author === 'visitor' ? strings.you : author === 'agent' ? (item.sender?.name ?? strings.agent) : botName
  const eventText = eventTexts.get(item.event ?? '')
  const line =
    takeover === 'agent'
      ? interpolate(strings.agentJoined, authorName ?? '')
      : takeover === 'bot'
        ? strings.handedBack
        : eventText && strings[eventText]
  const isStreaming = typeof item.text !== 'string'
  const [wasStreaming] = useState(isStreaming)
  const isPending = status === 'waiting' || status === 'sending'
  // A new message moves in. The greeting does not, because it is rendered again when somebody signs in.
  const [isNew] = useState(
    () => hasListChanged.current && (author === 'visitor' ? isPending : !isSilent && item.createdAt !== ''),
  )
  const classes = [
    'row',
    author,
    isFirst && 'first',
    isLast && 'last',
    isStreaming && 'streaming',
    isNew && 'enter',
    item.removedAt && 'removed',
  ]
  // The platform's own notices are in the bot's language, too.
  const isOfBot = author === 'bot' || author === 'system'
  const lang = item.removedAt ? strings.lang : (item.lang ?? (isOfBot ? botLocale : undefined))
  const text = item.removedAt ? strings.removed : <MessageText item={item} />
  const labelId = `message-${item.id}`
  const rating = isRated && RatingButtons && (
    <RatingButtons id={item.id} rating={item.rating} isLast={isLast} labelId={labelId} />
  )
  return (
    <>
      {/* Screen readers announce only the message below. */}
      {startsDay && (
        <p class="rule" aria-live="off">
          {dates.day(item.createdAt)}
        </p>
      )}
      {isFirstUnread && (
        <p class="rule new" aria-live="off">
          {strings.newMessages}
        </p>
      )}
      {line && (
        <p class="rule" aria-live={isSilent ? 'off' : undefined}>
          {line}
        </p>
      )}
      {props.awaitsPerson && <TeamBack class="rule" dates={dates} isSilent={isSilent} />}
      {eventText ? null : author === 'system' ? (
        <p class="rule system" part="message" dir="auto" lang={lang} aria-live={isSilent ? 'off' : undefined}>
          {text}
        </p>
      ) : (
        <article
          class={classes.filter(Boolean).join(' ')}
          aria-label={[authorName, item.createdAt && dates.time(item.createdAt)].filter(Boolean).join(', ')}
          aria-live={isSilent ? 'off' : undefined}
        >
          {isFirst && <span class={author === 'agent' ? 'meta' : 'aloud'}>{authorName}</span>}
          {MessageFiles && (
            <MessageFiles stored={item.attachments} pending={item.files} id={item.text ? undefined : labelId} />
          )}
          {(item.text || item.removedAt || !files) && (
            // What streams in is not translated. On a translated page, the complete text comes in a new element, which is.
            <div
              key={`${wasStreaming && !isStreaming && isPageTranslated()} ${item.removedAt}`}
              class="bubble"
              part="message"
              dir="auto"
              id={labelId}
              lang={lang}
              translate={wasStreaming ? !isStreaming : undefined}
            >
              {text}
            </div>
          )}
          {isLast && author === 'agent' && <Avatar name={authorName ?? ''} url={item.sender?.avatar} />}
          {Sources && item.sources && <Sources sources={item.sources} label={strings.sources} />}
          {!isLast && rating}
          {/* A reply has its time when it is complete; until then its line is empty, so that nothing moves by it. */}
          {isLast && isStreaming && <ReplyPause botName={botName ?? strings.chat} />}
          {isLast && !isStreaming && item.createdAt && (
            <MessageMeta item={item} status={status} showsTime={showsTime} dates={dates} labelId={labelId}>
              {rating}
            </MessageMeta>
          )}
        </article>
      )}
    </>
  )
}

const clockPath = 'M12 3a9 9 0 1 0 .1 0M12 7v5l3 2'
const tickPath = 'M5 13l4 4L19 7'

interface MessageMetaProps extends Pick<Row, 'item' | 'status' | 'showsTime'> {
  dates: Dates
  /** The id of the message's element, which describes the buttons. */
  labelId: string
  /** The buttons to rate an answer. */
  children?: ComponentChildren
}

/** Shown below a group of messages: its time, and the status of the visitor's own message. */
function MessageMeta({ item, status, showsTime, dates, labelId, children }: MessageMetaProps): JSX.Element {
  const { outbox } = useWidget().conversation
  const strings = useStrings()
  // The keys are for translators of pages, as in `LiveText`.
  if (status === 'failed') {
    return (
      <div class="meta" key={status}>
        <b>{strings.failed}</b>
        <LinkButton describedBy={labelId} onClick={() => outbox.retry(item.id)}>
          {strings.retry}
        </LinkButton>
        ·
        <LinkButton describedBy={labelId} onClick={() => outbox.remove(item.id)}>
          {strings.delete}
        </LinkButton>
      </div>
    )
  }
  if (status === 'waiting' || status === 'sending') {
    const text = item.resumesAt ? interpolate(strings.limited, dates.time(item.resumesAt)) : strings[status]
    return (
      <div class="meta" key={text}>
        {text}
        <Icon path={clockPath} />
      </div>
    )
  }
  const isSent = status === 'sent'
  return (
    <div class={showsTime || isSent || children ? 'meta' : 'meta quiet'}>
      <bdi>{dates.time(item.createdAt)}</bdi>
      {isSent && (
        <>
          <span class="aloud">{strings.sent}</span>
          <Icon path={tickPath} />
        </>
      )}
      {children}
    </div>
  )
}

/**
 * The text of a message. While a reply streams in, only this component renders again. If the Markdown of a message can't be
 * rendered, its source is shown, so that one message can't break the whole chat.
 */
export function MessageText({ item }: { item: TranscriptItem }): JSX.Element {
  const { conversation, panel } = useWidget()
  const strings = useStrings()
  const isStreaming = typeof item.text !== 'string'
  const text = typeof item.text === 'string' ? item.text : item.text.value
  const Markdown = useLazyPart('markdown', item.format === 'markdown' && item.author !== 'visitor')?.Markdown
  const linkify = useLazyPart('more', !Markdown && /https?:|mailto:|@/i.test(text))?.linkify
  const hasReported = useRef(false)
  const [error, resetError] = useErrorBoundary(cause => {
    if (hasReported.current) return
    hasReported.current = true
    console.error('Natter could not render a message:', cause)
    panel.reportRenderError()
  })
  // While a reply streams in, a part of it may fail although the whole can be rendered.
  useEffect(resetError, [text, isStreaming])
  // Each in an element of its own: a translator of pages may have replaced the text nodes.
  if (error) return <span key="error">{text}</span>
  if (!Markdown && linkify) return <span key="links">{linkify(text)}</span>
  if (!Markdown) return <span key="text">{text}</span>
  return (
    <Markdown
      text={text}
      images={!!conversation.botProfile.profile.value?.images}
      isStreaming={isStreaming}
      strings={strings}
    />
  )
}
