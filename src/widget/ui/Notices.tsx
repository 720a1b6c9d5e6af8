import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { closePath } from '../styles/closePath.ts'
import { Icon, IconButton, LinkButton, LiveText } from './elements.tsx'
import { interpolate } from './interpolate.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

const personPath = 'M12 4a4 4 0 1 0 .1 0M5 20c1-8 13-8 14 0'

/** The notices below the header: the contact's name, and problems that the visitor should know about. */
export function Notices(): JSX.Element {
  const { session, signIn, conversation } = useWidget()
  const strings = useStrings()
  const contact = session.contact.value
  const endReason = session.endReason.value
  // A sign-out makes the name disappear, of which a screen reader hears nothing. Where the session has ended for another
  // reason, a notice says so.
  const wasSignedIn = useRef(false)
  if (endReason) wasSignedIn.current = false
  else if (contact && !signIn.isViewHidden.value) wasSignedIn.current = true
  const hasSignedOut = wasSignedIn.current && session.status.value === 'anonymous'
  const isOffline = conversation.connection.value === 'offline'
  return (
    <div role="status">
      {contact && !signIn.isViewHidden.value && (
        <p class="notice who">
          <Icon path={personPath} />
          <bdi>
            <LiveText text={interpolate(strings.chattingAs, contact.name)} />
          </bdi>
        </p>
      )}
      {hasSignedOut && <p class="aloud">{strings.signedOut}</p>}
      {endReason && (
        <p class="notice">
          <LiveText text={strings[endReason]} />
          <IconButton label={strings.dismiss} path={closePath} onClick={session.dismissEndReason} />
        </p>
      )}
      {isOffline && <p class="notice warn">{strings.offlineHint}</p>}
      {!isOffline && conversation.botProfile.status.value === 'unavailable' && (
        <p class="notice warn">
          {strings.botUnavailable}
          <LinkButton onClick={conversation.botProfile.load}>{strings.retry}</LinkButton>
        </p>
      )}
    </div>
  )
}
