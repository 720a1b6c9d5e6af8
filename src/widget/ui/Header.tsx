import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Sender } from '../../contract/index.ts'
import type { WidgetModels } from '../app/createApp.ts'
import type { Strings } from '../i18n/en.ts'
import { closePath } from '../styles/closePath.ts'
import { Avatar, IconButton, LiveText } from './elements.tsx'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

export function Header(): JSX.Element {
  const { session, panel, conversation } = useWidget()
  const strings = useStrings()
  const { name, avatar, botName } = useChatPartner()
  const profile = conversation.botProfile.profile.value
  const Menu = useLazyPart('more')?.Menu
  return (
    <div class="header" part="header">
      <Avatar name={name} url={avatar} />
      <div class={profile?.subtitle || profile?.openings.length ? 'title' : 'title alone'}>
        <h2 translate={false}>
          <bdi>{name}</bdi>
          {botName && (
            <>
              {' · '}
              <bdi>{botName}</bdi>
            </>
          )}
        </h2>
        <StatusLine />
      </div>
      {/* The key closes the menu when the session changes: "End chat?" must not refer to the next person's chat. */}
      {Menu && <Menu key={session.scopeKey.value} />}
      <IconButton label={strings.close} path={closePath} onClick={panel.close} />
    </div>
  )
}

/** Most connections are open sooner. Visitors would see a flicker otherwise, and screen readers would announce it. */
const connectingDelayMs = 1000

/**
 * The status of session and connection. If there is no problem, it is when the team is back, or the bot's subtitle, which
 * are not announced.
 */
function StatusLine(): JSX.Element {
  const models = useWidget()
  const isConnecting = ['connecting', 'reconnecting'].includes(models.conversation.connection.value)
  const isSlow = useHasLasted(isConnecting, connectingDelayMs)
  const text = statusText(models, useStrings(), isSlow)
  const { TeamBack, lazyDates } = useLazyPart('transcript') ?? {}
  const dates = lazyDates?.dates.value
  const { subtitle } = models.conversation.botProfile.profile.value ?? {}
  const line = subtitle && (
    <p class="status">
      <bdi>{subtitle}</bdi>
    </p>
  )
  return (
    <>
      <p class="status" role="status">
        <LiveText text={text} />
      </p>
      {!text &&
        (TeamBack && dates ? (
          <TeamBack class="status" dates={dates}>
            {line}
          </TeamBack>
        ) : (
          line
        ))}
    </>
  )
}

function statusText(
  { session, signIn, conversation }: WidgetModels,
  strings: Strings,
  isSlow: boolean,
): string | undefined {
  const connection = conversation.connection.value
  const status = session.status.value
  if (connection === 'offline') return strings.offline
  if (signIn.isViewHidden.value) {
    if (signIn.hasFailed.value) return undefined
    return signIn.isUnreachable.value ? strings.reconnecting : strings.restoring
  }
  if (status === 'restoring' || status === 'identifying') return strings[status]
  // The transcript says what has failed, and offers to try again.
  if (conversation.messageStore.history.value === 'failed') return undefined
  if (isSlow && (connection === 'connecting' || connection === 'reconnecting')) return strings[connection]
  return undefined
}

/** Returns the team member who wrote last, in whose case there is also the bot's name. Else the bot. */
function useChatPartner(): Sender & { botName?: string | undefined } {
  const { conversation, signIn } = useWidget()
  const strings = useStrings()
  const profile = conversation.botProfile.profile.value
  // The sender is a part of the conversation, which must stay hidden until it is known whose it is.
  const messages = signIn.isViewHidden.value ? [] : conversation.messageStore.messages.value
  const sender = messages.findLast(({ author }) => author !== 'visitor')?.sender
  if (sender) return { ...sender, botName: profile?.name }
  return { name: profile?.name ?? strings.chat, ...(profile && { avatar: profile.avatar }) }
}

function useHasLasted(isTrue: boolean, durationMs: number): boolean {
  const [hasLasted, setHasLasted] = useState(false)
  useEffect(() => {
    setHasLasted(false)
    if (!isTrue) return
    const timer = setTimeout(() => setHasLasted(true), durationMs)
    return () => clearTimeout(timer)
  }, [isTrue])
  return isTrue && hasLasted
}
