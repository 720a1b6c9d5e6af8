import type { ComponentChildren, JSX } from 'preact'
import type { Dates } from './dates.ts'
import type { Row } from './groupMessages.ts'
import { Icon } from './Icon.tsx'
import { interpolate } from './interpolate.ts'
import { LinkButton } from './LinkButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

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
export function MessageMeta({ item, status, showsTime, dates, labelId, children }: MessageMetaProps): JSX.Element {
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
