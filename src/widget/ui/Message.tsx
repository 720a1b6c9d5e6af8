import type { FunctionComponent } from 'preact'
import type { Models } from '../app/createApp.ts'
import { button } from './buttons.tsx'
import type { Dates } from './dates.ts'
import type { Row } from './groupMessages.ts'
import { icon } from './icons.tsx'
import { interpolate } from './interpolate.ts'
import type { DrawText } from './texts.ts'

export interface MessageProps {
  row: Row
  /** Of who answers. */
  name: string | undefined
  draw: DrawText
  /** Another one when the language has changed. */
  dates: Dates
  /** Needs no reading aloud: one's own, and what was there before. */
  isSilent: boolean
}

/**
 * A bubble, what stands above it, and under the last of a run its time or what became of it. A component that reads no
 * signal, since one whose element is the same as before is not drawn again.
 */
export function createMessage(models: Models): FunctionComponent<MessageProps> {
  return ({ row, name, draw, dates, isSilent }) => {
    const { conversation, strings } = models
    const { id, author, createdAt, first, last, status, resumesAt } = row
    const own = author === 'visitor'
    const done = !status || status === 'sent'
    return (
      <>
        {/* They come with what needs no reading aloud, and with what is read aloud itself. */}
        {row.startsDay && (
          <p class="rule" aria-live="off">
            {dates.day(createdAt)}
          </p>
        )}
        {row.isFirstUnread && (
          <p class="rule new" aria-live="off">
            {strings.newMessages}
          </p>
        )}
        <div
          class={`row ${author}${first ? ' first' : ''}${last ? ' last' : ''}`}
          aria-live={isSilent ? 'off' : undefined}
        >
          {first && (
            <span class={author === 'agent' ? 'meta' : 'aloud'}>
              {own ? strings.you : author === 'agent' ? strings.agent : name}
            </span>
          )}
          <div class="bubble" part="message" dir="auto">
            {draw(row)}
          </div>
          {last && createdAt && (
            <div class="meta">
              {done && <bdi>{dates.time(createdAt)}</bdi>}
              {status === 'failed' ? (
                <span role="alert">
                  <b>{strings.failed}</b>
                  {button(strings.retry, () => conversation.outbox.retry(id))}·
                  {button(strings.delete, () => conversation.outbox.remove(id))}
                </span>
              ) : (
                status && [
                  done && ' · ',
                  resumesAt ? interpolate(strings.limited, dates.time(resumesAt)) : strings[status],
                  icon(done ? 'M5 13l4 4L19 7' : 'M12 3a9 9 0 1 0 .1 0M12 7v5l3 2'),
                ]
              )}
            </div>
          )}
        </div>
      </>
    )
  }
}
