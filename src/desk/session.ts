import { type ReadonlySignal, signal } from '@preact/signals'
import type { DeskSession, SignInMethods } from '../contract/desk.ts'
import { ApiError } from './ApiError.ts'
import type { Api } from './api.ts'

export type SessionState =
  | { status: 'loading' }
  | { status: 'unreachable' }
  /** `error`: why signing in at the provider has failed. */
  | { status: 'signedOut'; methods: SignInMethods; error?: unknown }
  | { status: 'signedIn'; current: DeskSession }
  /** The session is over, and the page is about to be loaded again. `hasEnded`: the platform has ended it. */
  | { status: 'leaving'; hasEnded: boolean }

/** Who is signed in. Actions reject with an `ApiError`. */
export interface SessionModel {
  readonly state: ReadonlySignal<SessionState>
  load(): Promise<void>
  signIn(email: string, password: string): Promise<void>
  /** Leaves for the OpenID Connect provider. */
  beginOidc(): Promise<void>
  /** Signs in by what the provider has sent back. */
  finishOidc(response: string): Promise<void>
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
  let isSigningOut = false
  const end = () => {
    if (state.value.status === 'signedIn') state.value = { status: 'leaving', hasEnded: !isSigningOut }
  }
  const showSignIn = async (error?: unknown) => {
    try {
      const { data: methods } = await api.get<'retrieveSignInMethods'>('/session/methods')
      state.value = { status: 'signedOut', methods, error }
    } catch {
      state.value = { status: 'unreachable' }
    }
  }
  return {
    state,
    end,
    async load() {
      state.value = { status: 'loading' }
      try {
        enter(await api.get<'retrieveDeskSession'>('/session'))
      } catch (error) {
        if (state.value.status !== 'loading') return
        if (error instanceof ApiError && error.status === 401) await showSignIn()
        else state.value = { status: 'unreachable' }
      }
    },
    async signIn(email, password) {
      enter(await api.post<'signIn'>('/session', { email, password }))
    },
    async beginOidc() {
      const { data } = await api.post<'beginOidc'>('/session/oidc/begin')
      location.assign(data.url)
    },
    async finishOidc(response) {
      try {
        enter(await api.post<'signInByOidc'>('/session/oidc', { response }))
      } catch (error) {
        await showSignIn(error)
      }
    },
    async acceptInvitation(token, name, password) {
      enter(await api.post<'acceptInvitation'>('/invitations/accept', { token, name, password }))
    },
    async signOut() {
      // The event stream may end the session before the response is here.
      isSigningOut = true
      await api.delete<'signOut'>('/session').finally(() => {
        isSigningOut = false
      })
      state.value = { status: 'leaving', hasEnded: false }
    },
  }
}
