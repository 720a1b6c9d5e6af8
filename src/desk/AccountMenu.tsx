import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { Avatar } from './Avatar.tsx'
import { AlertSettings } from './alerts/AlertSettings.tsx'
import { useDesk } from './DeskContext.ts'
import { ConfirmDialog } from './Dialog.tsx'

/** Who is signed in, and the way out. */
export function AccountMenu(): JSX.Element {
  const { conversations, current, session, strings } = useDesk()
  const state = useSignal<'idle' | 'asking' | 'failed'>('idle')
  const menu = useRef<HTMLDivElement>(null)
  const { name, email } = current.member
  const signOut = () => {
    session.signOut().catch(() => {
      state.value = 'failed'
      // The question has closed it.
      if (!menu.current?.matches(':popover-open')) menu.current?.showPopover()
    })
  }
  const signOutWhenKept = async () => {
    state.value = 'idle'
    if (await conversations.flush()) state.value = 'asking'
    else signOut()
  }
  return (
    <>
      <button
        type="button"
        class="icon-button account-button"
        popovertarget="account-menu"
        aria-label={strings.app.account}
        title={name}
      >
        <Avatar name={name} />
      </button>
      <div ref={menu} id="account-menu" class="menu account-menu" popover="auto">
        <p class="account-name">
          <bdi>{name}</bdi>
        </p>
        <p class="meta">
          <bdi>{email}</bdi>
        </p>
        <p class="meta">
          <bdi>{current.organization.name}</bdi>
        </p>
        <AlertSettings />
        <button type="button" class="button" onClick={signOutWhenKept}>
          {strings.app.signOut}
        </button>
        <p class="failure" role="alert">
          {state.value === 'failed' && strings.app.signOutFailed}
        </p>
      </div>
      {state.value === 'asking' && (
        <ConfirmDialog
          title={strings.app.signOutAsk}
          hint={strings.app.signOutHint}
          confirm={strings.app.signOut}
          onConfirm={signOut}
          onClose={() => {
            state.value = 'idle'
          }}
        />
      )}
    </>
  )
}
