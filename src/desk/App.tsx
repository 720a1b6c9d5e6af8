import type { JSX } from 'preact'
import { useErrorBoundary, useLayoutEffect, useState } from 'preact/hooks'
import type { DeskSession } from '../contract/desk.ts'
import { AccountPage } from './account/AccountPage.tsx'
import { InvitationPage } from './account/InvitationPage.tsx'
import { SignIn } from './account/SignIn.tsx'
import { DeskContext, useDeskApp } from './DeskContext.ts'
import { createDesk } from './desk.ts'
import { Frame } from './Frame.tsx'
import { viewHref } from './router.ts'

/** The whole page: the desk of the member, or how to sign in. */
export function App(): JSX.Element {
  const { session, router, strings } = useDeskApp()
  const [error] = useErrorBoundary(console.error)
  const route = router.route.value
  const state = session.state.value
  if (error) {
    return (
      <AccountPage title={strings.app.failed} button={{ text: strings.app.reload, onClick: () => location.reload() }} />
    )
  }
  if (route.page === 'invitation') return <InvitationPage token={route.token} />
  switch (state.status) {
    case 'loading':
    case 'leaving':
      return <main class="account" aria-busy="true" />
    case 'unreachable':
      return <AccountPage title={strings.app.unreachable} button={{ text: strings.app.retry, onClick: session.load }} />
    case 'signedOut':
      return <SignIn {...state} hasEnded={history.state?.hasEnded === true} />
    case 'signedIn':
      return <SignedIn current={state.current} />
  }
}

function SignedIn({ current }: { current: DeskSession }): JSX.Element {
  const app = useDeskApp()
  const [desk] = useState(() => createDesk(app, current))
  useLayoutEffect(() => {
    const stop = desk.start()
    return () => {
      stop()
      const state = app.session.state.peek()
      if (state.status !== 'leaving') return
      // So nothing of this member stays in the page and its address, where the next one may sign in.
      history.replaceState({ hasEnded: state.hasEnded }, '', viewHref('waiting'))
      location.reload()
    }
  }, [app, desk])
  return (
    <DeskContext.Provider value={desk}>
      <Frame />
    </DeskContext.Provider>
  )
}
