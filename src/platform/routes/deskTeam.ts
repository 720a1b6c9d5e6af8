import type { Context } from 'hono'
import type { Team } from '../domain/team.ts'
import type { Handlers } from './handler.ts'

/** The desk's endpoints with which admins manage their team. */
export const deskTeamHandlers = (team: Team) =>
  ({
    retrieveTeam: async c => ({ data: await team.retrieve(c.get('member')) }),
    invite: async c => ({ data: await team.invite(c.get('member'), c.get('body')) }),
    withdrawInvitation: c => team.withdrawInvitation(c.get('member'), c.req.param('invitationId') ?? ''),
    updateMember: c => team.updateMember(c.get('member'), memberIdOf(c), c.get('body')),
    removeMember: c => team.removeMember(c.get('member'), memberIdOf(c)),
    createPasswordLink: async c => ({ data: await team.createPasswordLink(c.get('member'), memberIdOf(c)) }),
    listMemberSessions: async c => ({ data: await team.listSessions(c.get('member'), memberIdOf(c)) }),
    endMemberSession: c => team.endSession(c.get('member'), memberIdOf(c), c.req.param('sessionId') ?? ''),
    listAudit: c => team.listAudit(c.get('member'), c.get('query')),
  }) satisfies Partial<Handlers>

const memberIdOf = (c: Context): string => c.req.param('memberId') ?? ''
