import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'
import { CloseIcon } from './icons.tsx'
import { Menu } from './Menu.tsx'

/** Whose chat this is, how it stands, and the way out. */
export function Header({ models }: { models: Models }): ComponentChild {
  const { session, conversation, panel, strings } = models
  const bot = conversation.bot.value
  const name = bot?.name ?? strings.chat
  return (
    <header part="header">
      <span class="avatar" aria-hidden="true">
        {[...name][0]}
        {bot?.avatar && <img src={bot.avatar} alt="" referrerpolicy="no-referrer" />}
      </span>
      <div class="title">
        <h2 dir="auto">{name}</h2>
        <p role="status">{statusLine(models)}</p>
      </div>
      {(session.status.value !== 'anonymous' ||
        conversation.messages.value.length + conversation.pending.value.length > 0) && <Menu models={models} />}
      <button type="button" class="icon" aria-label={strings.close} onClick={() => panel.close()}>
        <CloseIcon />
      </button>
    </header>
  )
}

function statusLine({ session, conversation, strings }: Models): string {
  const connection = conversation.connection.value
  const status = session.status.value
  if (connection === 'offline') return strings.offline
  if (status === 'identifying' || status === 'restoring') return strings[status]
  if (connection === 'connecting' || connection === 'reconnecting') return strings[connection]
  return conversation.bot.value ? strings.answersAtOnce : ''
}
