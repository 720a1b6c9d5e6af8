import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Avatar } from './Avatar.tsx'
import { useDesk } from './DeskContext.ts'

/** Who is signed in, and the way out. */
export function AccountMenu(): JSX.Element {
  const { current, session, strings } = useDesk()
  const hasFailed = useSignal(false)
  const { name, email } = current.member
  const signOut = () => {
    hasFailed.value = false
    session.signOut().catch(() => {
      hasFailed.value = true
    })
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
      <div id="account-menu" class="account-menu" popover="auto">
        <p class="account-name">
          <bdi>{name}</bdi>
        </p>
        <p class="meta">
          <bdi>{email}</bdi>
        </p>
        <p class="meta">
          <bdi>{current.organization.name}</bdi>
        </p>
        <button type="button" class="button" onClick={signOut}>
          {strings.app.signOut}
        </button>
        <p class="failure" role="alert">
          {hasFailed.value && strings.app.signOutFailed}
        </p>
      </div>
    </>
  )
}
