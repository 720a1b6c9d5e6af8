import type { JSX } from 'preact'
import { closePath } from '../styles/closePath.ts'
import { Avatar } from './Avatar.tsx'
import { useChatPartner } from './hooks/useChatPartner.ts'
import { IconButton } from './IconButton.tsx'
import { useLazyPart } from './LazyPartsContext.ts'
import { StatusLine } from './StatusLine.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Avatar and name of the bot or team member, the status, the menu, and the close button. */
export function Header(): JSX.Element {
  const { session, panel, conversation } = useWidget()
  const strings = useStrings()
  const { name, avatar, botName } = useChatPartner()
  const Menu = useLazyPart('menu', true)
  return (
    <div class="header" part="header">
      <Avatar name={name} url={avatar} />
      <div class={conversation.botProfile.profile.value?.subtitle ? 'title' : 'title alone'}>
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
