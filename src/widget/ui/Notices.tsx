import type { JSX } from 'preact'
import type { Models } from '../core.ts'
import { button, iconButton } from './buttons.tsx'
import { fill } from './fill.ts'
import { closePath } from './icons.tsx'

/** The strips under the header: who is talking, and what a visitor should know right now. */
export function Notices({ session, conversation, strings }: Models): JSX.Element {
  const contact = session.contact.value
  const ended = session.ended.value
  return (
    <div>
      {contact && (
        <p class="notice who">
          <bdi>{fill(strings.chattingAs, contact.name)}</bdi>
        </p>
      )}
      <div role="status">
        {ended && (
          <p class="notice">
            {strings[ended]}
            {iconButton(strings.dismiss, closePath, session.dismissEnded)}
          </p>
        )}
        {conversation.connection.value === 'offline' ? (
          <p class="notice warn">{strings.offlineHint}</p>
        ) : (
          conversation.botStatus.value === 'unavailable' && (
            <p class="notice warn">
              {strings.botUnavailable}
              {button(strings.retry, conversation.retryBot)}
            </p>
          )
        )}
      </div>
    </div>
  )
}
