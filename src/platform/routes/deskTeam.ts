import type { Team } from '../domain/team.ts'
import type { Handlers } from './handler.ts'

/** The desk's endpoints with which admins manage their team. */
export const deskTeamHandlers = (team: Team) =>
  ({
    listAudit: c => team.listAudit(c.get('member'), c.get('query')),
  }) satisfies Partial<Handlers>
