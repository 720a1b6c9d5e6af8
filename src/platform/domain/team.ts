import type { AuditPage, MemberSession, Team as TeamOfDesk } from '../../contract/desk.ts'
import type { BodyOf, QueryOf } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { AuditStore, MemberRow, MemberStore, NotFound, OrganizationStore, SignedInMember } from '../store/store.ts'
import { paginate } from './cursor.ts'
import { isId } from './ids.ts'
import { actorOf, idleLifetimeMs, issueInvitation, issuePasswordLink, requireRights } from './members.ts'
import { notFound, problem } from './problem.ts'
import { timestamp } from './time.ts'
import { memberTokenPattern } from './tokens.ts'

/** What admins see and do of their team. The sweep of every node ends the streams of sessions that these end. */
export type Team = ReturnType<typeof createTeam>

export interface TeamOptions {
  store: AuditStore & MemberStore & OrganizationStore
  clock: Clock
  handoverTimeoutMs: number
}

/** A member with an open stream is recorded every 30 seconds as being at the desk. */
const onlineMs = 90_000

export function createTeam({ store, clock, handoverTimeoutMs }: TeamOptions) {
  const at = (): string => timestamp(clock.now())
  const handover = () => ({ at: at(), timeoutMs: handoverTimeoutMs })

  /** A member of the admin's team. */
  async function memberOf({ organizationId }: MemberRow, memberId: string): Promise<MemberRow> {
    const found = (await store.listMembers(organizationId)).find(({ id }) => id === memberId)
    if (!found) throw notFound()
    return found
  }

  async function sessionsOf(admin: MemberRow, memberId: string) {
    const { id } = await memberOf(admin, memberId)
    return store.listMemberSessions(id, at())
  }

  return {
    async retrieve({ organizationId }: MemberRow): Promise<TeamOfDesk> {
      const [members, invitations] = await Promise.all([
        store.listMembers(organizationId),
        store.listInvitations(organizationId, at()),
      ])
      const onlineSince = timestamp(clock.now() - onlineMs)
      return {
        members: members.map(({ id, name, email, role, botIds, isAway, activeAt }) => ({
          ...{ id, name, email, role, botIds, isAway, activeAt },
          isOnline: !isAway && activeAt !== null && activeAt > onlineSince,
        })),
        invitations: invitations.map(({ hash, email, role, botIds, expiresAt }) => ({
          ...{ id: hash, email, role, botIds, expiresAt },
        })),
      }
    },

    async invite(admin: MemberRow, body: BodyOf<'invite'>): Promise<{ token: string }> {
      const { organizationId } = admin
      return { token: await issueInvitation(store, { organizationId, ...body }, clock, actorOf(admin)) }
    },

    async withdrawInvitation(admin: MemberRow, id: string): Promise<void> {
      if (!memberTokenPattern.test(id)) throw notFound()
      requireChanged(await store.deleteInvitation(admin.organizationId, id, actorOf(admin), at()))
    },

    async updateMember(admin: MemberRow, id: string, rights: BodyOf<'updateMember'>): Promise<void> {
      const { organizationId } = admin
      if (!isId(id)) throw notFound()
      await requireRights(store, { organizationId, ...rights })
      requireChanged(await store.updateMember({ organizationId, id, ...rights }, actorOf(admin), handover()))
    },

    async removeMember(admin: MemberRow, id: string): Promise<void> {
      if (!isId(id)) throw notFound()
      const { organizationId } = admin
      requireChanged(await store.removeMember({ organizationId, id }, actorOf(admin), handover()))
    },

    async createPasswordLink(admin: MemberRow, memberId: string): Promise<{ token: string }> {
      return { token: await issuePasswordLink(store, await memberOf(admin, memberId), clock, actorOf(admin)) }
    },

    async listSessions(admin: SignedInMember, memberId: string): Promise<MemberSession[]> {
      const sessions = await sessionsOf(admin, memberId)
      return sessions.map(({ hash, createdAt, expiresAt }) => ({
        id: hash,
        createdAt,
        // Up to half a day too early for a session that is about to reach its longest time.
        activeAt: timestamp(Date.parse(expiresAt) - idleLifetimeMs),
        isCurrent: hash === admin.sessionHash,
      }))
    },

    async endSession(admin: MemberRow, memberId: string, sessionId: string): Promise<void> {
      const sessions = await sessionsOf(admin, memberId)
      if (!sessions.some(({ hash }) => hash === sessionId)) throw notFound()
      await store.endMemberSession(sessionId, { actor: actorOf(admin), at: at() })
    },

    listAudit: ({ organizationId }: MemberRow, query: QueryOf<'listAudit'>): Promise<AuditPage> =>
      paginate(
        ['audit', organizationId],
        query,
        page => store.listAudit(organizationId, page),
        ({ createdAt, id }) => ({ at: createdAt, id }),
      ),
  }
}

function requireChanged(result: 'updated' | 'removed' | 'deleted' | 'last_admin' | NotFound): void {
  if (result === 'not_found') throw notFound()
  if (result === 'last_admin') throw problem('last_admin')
}
