import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'
import { fill } from './fill.ts'
import { CloseIcon } from './icons.tsx'

/** The strips under the header: who is talking, and what a visitor should know right now. */
export function Notices({ models: { session, conversation, strings } }: { models: Models }): ComponentChild {
  const contact = session.contact.value
  const ended = session.ended.value
  return (
    <div class="notices">
      {contact && (
        <p class="notice who">
          <span dir="auto">{fill(strings.chattingAs, contact.name)}</span>
        </p>
      )}
      <div role="status">
        {ended && (
          <p class="notice">
            <span>{strings[ended]}</span>
            <button type="button" class="icon" aria-label={strings.dismiss} onClick={() => session.dismissEnded()}>
              <CloseIcon />
            </button>
          </p>
        )}
        {conversation.connection.value === 'offline' ? (
          <p class="notice warn">{strings.offlineHint}</p>
        ) : (
          conversation.botStatus.value === 'unavailable' && (
            <p class="notice warn">
              <span>{strings.botUnavailable}</span>
              <button type="button" class="link" onClick={() => conversation.retryBot()}>
                {strings.retry}
              </button>
            </p>
          )
        )}
      </div>
    </div>
  )
}
