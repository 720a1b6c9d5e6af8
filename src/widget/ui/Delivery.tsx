import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'
import { ClockIcon, SentIcon } from './icons.tsx'
import type { MessageRow } from './rows.ts'

/** Where an own message stands; a failed one says so aloud and offers what can be done. */
export function Delivery({ row, models }: { row: MessageRow; models: Models }): ComponentChild {
  const { conversation, strings } = models
  if (row.status === 'failed')
    return (
      <span role="alert">
        <b>{strings.notSent}</b>{' '}
        <button type="button" class="link" onClick={() => conversation.retry(row.key)}>
          {strings.retry}
        </button>
        {' · '}
        <button type="button" class="link" onClick={() => conversation.remove(row.key)}>
          {strings.delete}
        </button>
      </span>
    )
  return row.status === 'sent' ? (
    <>
      {' · '}
      {strings.sent} <SentIcon />
    </>
  ) : (
    <>
      {row.status === 'sending' ? strings.sending : strings.waiting} <ClockIcon />
    </>
  )
}
