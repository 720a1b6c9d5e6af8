import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError } from './ApiError.ts'
import { Avatar } from './Avatar.tsx'
import { AlertSettings } from './alerts/AlertSettings.tsx'
import { useDesk } from './DeskContext.ts'
import { ConfirmDialog } from './Dialog.tsx'

/** Who is signed in, and the way out. */
export function AccountMenu(): JSX.Element {
  const { conversations, current, session, strings } = useDesk()
  const [isAsking, setIsAsking] = useState(false)
  const [problem, setProblem] = useState('')
  const menu = useRef<HTMLDivElement>(null)
  const { name, email } = current.member
  const signOut = () => {
    session.signOut().catch(error => {
      const isUnreachable = error instanceof ApiError && error.status === 0
      setProblem(isUnreachable ? strings.app.signOutFailed : strings.app.actionFailed)
      // The question has closed it.
      if (!menu.current?.matches(':popover-open')) menu.current?.showPopover()
    })
  }
  const signOutWhenKept = async () => {
    setProblem('')
    if (await conversations.flush()) setIsAsking(true)
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
          {problem}
        </p>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={strings.app.signOutAsk}
          hint={strings.app.signOutHint}
          confirm={strings.app.signOut}
          onConfirm={signOut}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  )
}
