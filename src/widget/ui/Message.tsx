import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'
import type { Dates } from './dates.ts'
import { ClockIcon, SentIcon } from './icons.tsx'
import { withLinks } from './links.tsx'
import type { Row } from './rows.ts'

/** A bubble, what stands above it, and under the last of a run its time or what became of it. */
export function Message({ row, models, dates }: { row: Row; models: Models; dates: Dates }): ComponentChild {
  const { conversation, strings } = models
  const { key, author, at, first, last, status } = row
  const own = author === 'visitor'
  // A reply that grows draws itself only; when it is stored, the same nodes stay with its final text.
  const text = row.text || conversation.partial.value?.text || ''
  return (
    <>
      {row.newDay && <p class="rule">{dates.day(at)}</p>}
      {row.newHere && <p class="rule new">{strings.newMessages}</p>}
      <div
        class={`row ${author}${first ? ' first' : ''}${last ? ' last' : ''}`}
        // What one has just written needs no reading aloud.
        aria-live={own ? 'off' : undefined}
      >
        {first && <span class="aloud">{own ? strings.you : conversation.bot.value?.name}</span>}
        <p class="bubble" part="message" dir="auto">
          {withLinks(text)}
        </p>
        {last && at && (
          <div class="meta">
            {status === 'failed' ? (
              <span role="alert">
                <b>{strings.notSent}</b>
                <button type="button" class="link" onClick={() => conversation.retry(key)}>
                  {strings.retry}
                </button>
                ·
                <button type="button" class="link" onClick={() => conversation.remove(key)}>
                  {strings.delete}
                </button>
              </span>
            ) : status && status !== 'sent' ? (
              [strings[status], <ClockIcon key="" />]
            ) : (
              [<bdi key="">{dates.time(at)}</bdi>, status && [` · ${strings.sent}`, <SentIcon key="" />]]
            )}
          </div>
        )}
      </div>
    </>
  )
}
