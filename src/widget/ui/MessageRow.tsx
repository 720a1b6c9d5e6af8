import type { JSX } from 'preact'
import { DayDivider } from './DayDivider.tsx'
import type { Dates } from './dates.ts'
import type { Row } from './groupMessages.ts'
import { MessageMeta } from './MessageMeta.tsx'
import { MessageText } from './MessageText.tsx'
import { useStrings } from './WidgetContext.ts'

interface MessageRowProps extends Row {
  botName: string | undefined
  dates: Dates
  /** Whether screen readers don't announce it: the visitor's own message, or one from before the chat was opened. */
  isSilent: boolean
}

/**
 * A message with the dividers above and the status below it. It renders again only when one of its props or the language
 * changes: `@preact/signals` compares the props of each component that reads a signal, as `useStrings()` does.
 */
export function MessageRow(props: MessageRowProps): JSX.Element {
  const { item, isFirst, isLast, startsDay, isFirstUnread, status, botName, dates, isSilent } = props
  const strings = useStrings()
  const { author } = item
  const authorName =
    author === 'visitor' ? strings.you : author === 'agent' ? (item.sender?.name ?? strings.agent) : botName
  return (
    <>
      {startsDay && <DayDivider at={item.createdAt} dates={dates} />}
      {isFirstUnread && (
        <p class="rule new" aria-live="off">
          {strings.newMessages}
        </p>
      )}
      <div
        class={`row ${author}${isFirst ? ' first' : ''}${isLast ? ' last' : ''}`}
        aria-live={isSilent ? 'off' : undefined}
      >
        {isFirst && (
          <span class={author === 'agent' ? 'meta' : 'aloud'}>
            <bdi>{authorName}</bdi>
          </span>
        )}
        <div class="bubble" part="message" dir="auto">
          <MessageText item={item} />
        </div>
        {isLast && item.createdAt && <MessageMeta item={item} status={status} dates={dates} />}
      </div>
    </>
  )
}
