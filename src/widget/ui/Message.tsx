import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'
import { Delivery } from './Delivery.tsx'
import type { Dates } from './dates.ts'
import { withLinks } from './links.tsx'
import type { MessageRow } from './rows.ts'

/** A bubble, and under the last of a run the time. */
export function Message({ row, models, dates }: { row: MessageRow; models: Models; dates: Dates }): ComponentChild {
  const { conversation, strings } = models
  const own = row.author === 'visitor'
  // A reply that grows draws itself only; when it is stored, the same nodes stay with its final text.
  const text = row.text || conversation.partial.value?.text || ''
  return (
    // What one has just written needs no reading aloud.
    <div
      class={`row said ${row.author}${row.first ? ' first' : ''}${row.last ? ' last' : ''}`}
      aria-live={own ? 'off' : undefined}
    >
      {row.first && <span class="aloud">{own ? strings.you : conversation.bot.value?.name}</span>}
      <p class="bubble" part="message" dir="auto">
        {withLinks(text)}
      </p>
      {row.last && (
        <div class="meta">
          {row.status && row.status !== 'sent' ? (
            <Delivery row={row} models={models} />
          ) : (
            <>
              {dates.time(row.at)}
              {row.status && <Delivery row={row} models={models} />}
            </>
          )}
        </div>
      )}
    </div>
  )
}
