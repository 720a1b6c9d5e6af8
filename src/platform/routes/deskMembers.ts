import type { Context } from 'hono'
import type { DeskSession } from '../../contract/desk.ts'
import type { Members } from '../domain/members.ts'
import type { DeskAccess } from '../http/deskAccess.ts'
import type { Handlers } from './handler.ts'

/** The desk's endpoints for who may use it. */
export function deskMemberHandlers(members: Members, access: DeskAccess) {
  const begin = (c: Context, { token, session }: { token: string; session: DeskSession }): { data: DeskSession } => {
    access.setToken(c, token)
    return { data: session }
  }
  return {
    signIn: async c => begin(c, await members.signIn(c.get('body'), access.tokenOf(c))),
    lookAtInvitation: async c => ({ data: await members.lookAtInvitation(c.get('body').token) }),
    acceptInvitation: async c => begin(c, await members.acceptInvitation(c.get('body'), access.tokenOf(c))),
    retrieveDeskSession: async c => ({ data: await members.session(c.get('member')) }),
    setPresence: c => members.setPresence(c.get('member'), c.get('body')),
    async signOut(c) {
      await members.signOut(c.get('member'))
      access.deleteToken(c)
    },
  } satisfies Partial<Handlers>
}
