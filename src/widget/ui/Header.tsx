import type { Signal } from '@preact/signals-core'
import type { JSX } from 'preact'
import type { Models } from '../app/createApp.ts'
import { iconButton } from './buttons.tsx'
import { closePath } from './icons.tsx'
import { Menu, type MenuState } from './Menu.tsx'

/** Whose chat this is, how it stands, and the way out. */
export function Header(models: Models, menu: Signal<MenuState>): JSX.Element {
  const { conversation, panel, strings } = models
  const face = conversation.botProfile.profile.value
  const name = face?.name ?? strings.chat
  return (
    <div class="header" part="header">
      <span class="avatar" aria-hidden="true">
        {[...name][0]}
        {/* Over the initial, which is seen where the picture is refused. */}
        {face?.avatar && <img src={face.avatar} alt="" referrerpolicy="no-referrer" onError={hide} />}
      </span>
      <div class="title">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p class="status" role="status">
          {statusLine(models)}
        </p>
      </div>
      {Menu(models, menu)}
      {iconButton(strings.close, closePath, panel.close)}
    </div>
  )
}

const hide = ({ currentTarget }: { currentTarget: HTMLElement }) => {
  currentTarget.hidden = true
}

/** The texts of what goes on are named by its status; where all is well there is nothing to say. */
function statusLine({ session, conversation, strings }: Models): string | undefined {
  const texts = strings as Partial<Record<string, unknown>> as Partial<Record<string, string>>
  const connection = conversation.connection.value
  return texts[connection === 'offline' ? connection : session.status.value] ?? texts[connection]
}
