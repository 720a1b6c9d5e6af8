import type { JSX } from 'preact'
import type { Models } from '../app/createApp.ts'
import { button, iconButton } from './buttons.tsx'
import { closePath } from './icons.tsx'
import { interpolate } from './interpolate.ts'

/** The strips under the header: who is talking, and what a visitor should know right now. */
export function Notices({ session, conversation, strings }: Models): JSX.Element {
  const contact = session.contact.value
  const endReason = session.endReason.value
  return (
    <div>
      {contact && (
        <p class="notice who">
          <bdi>{interpolate(strings.chattingAs, contact.name)}</bdi>
        </p>
      )}
      <div role="status">
        {endReason && (
          <p class="notice">
            {strings[endReason]}
            {iconButton(strings.dismiss, closePath, session.dismissEndReason)}
          </p>
        )}
        {conversation.connection.value === 'offline' ? (
          <p class="notice warn">{strings.offlineHint}</p>
        ) : (
          conversation.botProfile.status.value === 'unavailable' && (
            <p class="notice warn">
              {strings.botUnavailable}
              {button(strings.retry, conversation.botProfile.load)}
            </p>
          )
        )}
      </div>
    </div>
  )
}
