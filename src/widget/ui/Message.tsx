import type { JSX } from 'preact'
import type { Models } from '../core.ts'
import { linkButton } from './buttons.tsx'
import type { Dates } from './dates.ts'
import { icon } from './icons.tsx'
import { withLinks } from './links.tsx'
import type { Row } from './rows.ts'

export interface MessageProps {
  row: Row
  name: string | undefined
  models: Models
  dates: Dates
}

/**
 * A bubble, what stands above it, and under the last of a run its time or what became of it. A component that reads no
 * signal, since one whose element is the same as before is not drawn again.
 */
export function Message({ row, name, models: { conversation, strings }, dates }: MessageProps): JSX.Element {
  const { key, author, text, at, first, last, status } = row
  const own = author === 'visitor'
  const underWay = status && status !== 'sent'
  return (
    <>
      {row.newDay && <p class="rule">{dates.day(at)}</p>}
      {row.newHere && <p class="rule new">{strings.newMessages}</p>}
      <div
        class={`row ${author}${first ? ' first' : ''}${last ? ' last' : ''}`}
        // What one has just written needs no reading aloud.
        aria-live={own ? 'off' : undefined}
      >
        {first && <span class="aloud">{own ? strings.you : name}</span>}
        <p class="bubble" part="message" dir="auto">
          {withLinks(text)}
        </p>
        {last && at && (
          <div class="meta">
            {status === 'failed' ? (
              <span role="alert">
                <b>{strings.failed}</b>
                {linkButton(strings.retry, () => conversation.retry(key))}·
                {linkButton(strings.delete, () => conversation.remove(key))}
              </span>
            ) : (
              <>
                {!underWay && <bdi>{dates.time(at)}</bdi>}
                {status && [
                  underWay ? '' : ' · ',
                  strings[status],
                  icon(underWay ? 'M12 3a9 9 0 1 0 .1 0M12 7v5l3 2' : 'M5 13l4 4L19 7'),
                ]}
              </>
            )}
          </div>
        )}
      </div>
    </>
  )
}
