import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { DeskSession } from '../contract/index.ts'
import { DeskContext, useDeskApp } from './DeskContext.ts'
import { createDesk } from './desk.ts'
import { Frame } from './Frame.tsx'

/** The whole page: the desk of the member, or how to sign in. */
export function App(): JSX.Element {
  const { session } = useDeskApp()
  const state = session.state.value
  if (state.status !== 'signedIn') return <p>{state.status}</p>
  return <SignedIn key={state.current.member.id} current={state.current} />
}

function SignedIn({ current }: { current: DeskSession }): JSX.Element {
  const app = useDeskApp()
  const [desk] = useState(() => createDesk(app, current))
  useLayoutEffect(() => desk.start(), [desk])
  return (
    <DeskContext.Provider value={desk}>
      <Frame />
    </DeskContext.Provider>
  )
}
