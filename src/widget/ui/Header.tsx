import type { JSX } from 'preact'
import { BotAvatar } from './BotAvatar.tsx'
import { closePath } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { useLazyPart } from './LazyPartsContext.ts'
import { StatusLine } from './StatusLine.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Whose chat this is, its status, the menu, and the button that closes the panel. */
export function Header(): JSX.Element {
  const { session, conversation, panel } = useWidget()
  const strings = useStrings()
  const profile = conversation.botProfile.profile.value
  const Menu = useLazyPart('menu', true)
  const name = profile?.name ?? strings.chat
  return (
    <div class="header" part="header">
      <BotAvatar name={name} url={profile?.avatar} />
      <div class="title">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <StatusLine />
      </div>
      {/* Closed when the session changes: "End chat?" must not be asked about the next person's chat. */}
      {Menu && <Menu key={session.scopeKey.value} />}
      <IconButton label={strings.close} path={closePath} onClick={panel.close} />
    </div>
  )
}
