import { type ReadonlySignal, signal } from '@preact/signals'
import type { DeskSession } from '../contract/desk.ts'
import type { Api } from './api.ts'

export type SessionState =
  | { status: 'loading' }
  | { status: 'unreachable' }
  | { status: 'signedOut' }
  | { status: 'signedIn'; current: DeskSession }
  /** The session is over, and the page is about to be loaded again. `hasEnded`: the platform has ended it. */
  | { status: 'leaving'; hasEnded: boolean }

/** Who is signed in. Actions reject with an `ApiError`. */
export interface SessionModel {
  readonly state: ReadonlySignal<SessionState>
  load(): Promise<void>
  signIn(email: string, password: string): Promise<void>
  acceptInvitation(token: string, name: string, password: string): Promise<void>
  signOut(): Promise<void>
  /** The platform says that nobody is signed in. */
  end(): void
}

export function createSession(api: Api): SessionModel {
  const state = signal<SessionState>({ status: 'loading' })
  const enter = ({ data }: { data: DeskSession }) => {
    state.value = { status: 'signedIn', current: data }
  }
  const end = () => {
    const { status } = state.value
    if (status === 'leaving') return
    state.value = status === 'signedIn' ? { status: 'leaving', hasEnded: true } : { status: 'signedOut' }
  }
  return {
    state,
    end,
    async load() {
      state.value = { status: 'loading' }
      try {
        enter(await api.get<'retrieveDeskSession'>('/session'))
      } catch {
        // Unless the answer was that nobody is signed in, which has called `end`.
        if (state.value.status === 'loading') state.value = { status: 'unreachable' }
      }
    },
    async signIn(email, password) {
      enter(await api.post<'signIn'>('/session', { email, password }))
    },
    async acceptInvitation(token, name, password) {
      enter(await api.post<'acceptInvitation'>('/invitations/accept', { token, name, password }))
    },
    async signOut() {
      await api.delete<'signOut'>('/session')
      state.value = { status: 'leaving', hasEnded: false }
    },
  }
}
