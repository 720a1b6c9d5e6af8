import type { Context } from 'hono'
import type { DeskSession, SignInMethods } from '../../contract/desk.ts'
import type { Members } from '../domain/members.ts'
import type { OidcSignIn } from '../domain/oidc.ts'
import { problem } from '../domain/problem.ts'
import type { DeskAccess } from '../http/deskAccess.ts'
import type { Handlers } from './handler.ts'

export interface DeskMemberOptions {
  members: Members
  access: DeskAccess
  oidc: OidcSignIn | undefined
  /** Whether members may have passwords. */
  passwords: boolean
}

/** The desk's endpoints for who may use it. */
export function deskMemberHandlers({ members, access, oidc, passwords }: DeskMemberOptions) {
  const methods: SignInMethods = { passwords, provider: oidc?.host ?? null }
  const begin = (c: Context, { token, session }: { token: string; session: DeskSession }): { data: DeskSession } => {
    access.session.set(c, token)
    return { data: session }
  }
  return {
    retrieveSignInMethods: async () => ({ data: methods }),
    async signIn(c) {
      requireMethod(passwords)
      return begin(c, await members.signIn(c.get('body'), access.session.get(c)))
    },
    async beginOidc(c) {
      requireMethod(oidc)
      const { url, login } = await oidc.begin()
      access.login.set(c, login)
      return { data: { url } }
    },
    async signInByOidc(c) {
      requireMethod(oidc)
      const signedIn = await oidc.signIn(c.get('body').response, access.login.get(c), access.session.get(c))
      access.login.delete(c)
      return begin(c, signedIn)
    },
    lookAtInvitation: async c => ({ data: { ...(await members.lookAtInvitation(c.get('body').token)), methods } }),
    async acceptInvitation(c) {
      requireMethod(passwords)
      return begin(c, await members.acceptInvitation(c.get('body'), access.session.get(c)))
    },
    retrieveDeskSession: async c => ({ data: await members.session(c.get('member')) }),
    setPresence: c => members.setPresence(c.get('member'), c.get('body')),
    async signOut(c) {
      await members.signOut(c.get('member'))
      access.session.delete(c)
    },
  } satisfies Partial<Handlers>
}

function requireMethod(method: unknown): asserts method {
  if (!method) throw problem('not_found', { detail: 'Nobody signs in to this desk in this way.' })
}
