import type { JSX } from 'preact'
import { BotAvatar } from './BotAvatar.tsx'
import { closePath } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { useLazyPart } from './LazyPartsContext.ts'
import { StatusLine } from './StatusLine.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Whose chat this is, how it stands, and the way out. */
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
      {/* A question about one person's chat is not left for the next one to answer. */}
      {Menu && <Menu key={session.scopeKey.value} />}
      <IconButton label={strings.close} path={closePath} onClick={panel.close} />
    </div>
  )
}
