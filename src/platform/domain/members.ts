import type { DeskBot, DeskSession, Invitation } from '../../contract/desk.ts'
import type { BodyOf } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type {
  Actor,
  AuditStore,
  Bot,
  MemberRow,
  MemberStore,
  NewMember,
  OrganizationStore,
  SignedInMember,
} from '../store/store.ts'
import { emailKey, requireEmailKey } from './emailKey.ts'
import { createId } from './ids.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { fieldProblem, notFound, type ProblemError, problem } from './problem.ts'
import { memberSessionSubject } from './subjects.ts'
import { timestamp } from './time.ts'
import { hashToken, memberTokenPattern, mintHexToken } from './tokens.ts'

/** The members of teams: who may use the desk. */
export type Members = ReturnType<typeof createMembers>

const hour = 60 * 60 * 1000
/** A session ends so long after its member was last active: an open page sends requests by itself. */
export const idleLifetimeMs = 12 * hour
/** It ends at the latest so long after it has begun. */
export const sessionLifetimeMs = 30 * 24 * hour
const invitationLifetime = 24 * hour

export interface MembersOptions {
  store: MemberStore & OrganizationStore & Pick<AuditStore, 'recordAudit'>
  bus: Bus
  clock: Clock
}

/** What signing in returns: the token for the cookie, which is not stored, and what the member may see. */
export interface SignedIn {
  token: string
  session: DeskSession
}

export function createMembers({ store, bus, clock }: MembersOptions) {
  const at = (): string => timestamp(clock.now())

  const find = async (token: string, now = at()): Promise<SignedInMember | null> =>
    memberTokenPattern.test(token) ? store.findMemberSession(hashToken(token), now) : null

  const expiryOf = (begunAt: number): string =>
    timestamp(Math.min(clock.now() + idleLifetimeMs, begunAt + sessionLifetimeMs))

  const newSession = () => {
    const { token, hash } = mintHexToken()
    const now = clock.now()
    return { token, row: { hash, createdAt: timestamp(now), expiresAt: expiryOf(now) } }
  }

  async function end(hash: string): Promise<void> {
    await store.endMemberSession(hash)
    bus.publish(memberSessionSubject(hash), { type: 'ended', hash, reason: 'logged_out' })
  }

  async function sessionOf(member: SignedInMember): Promise<DeskSession> {
    const { id, name, email, role, organizationId, organizationName } = member
    const [bots, team] = await Promise.all([listVisibleBots(store, member), store.listMembers(organizationId)])
    return {
      member: { id, name, email, role },
      organization: { id: organizationId, name: organizationName },
      bots: bots.map(toDeskBot),
      team: team.map(({ id, name }) => ({ id, name })),
    }
  }

  /** Ends the browser's former session, so that nobody who knows its token gets into the new one. */
  async function begin(token: string, formerToken: string | undefined): Promise<SignedIn> {
    const former = formerToken === undefined ? null : await find(formerToken)
    if (former) await end(former.sessionHash)
    const found = await find(token)
    // The member was removed, or has another password, meanwhile.
    if (!found) throw sessionEnded()
    const { organizationId } = found
    await store.recordAudit({ organizationId, event: 'signed_in', member: actorOf(found), createdAt: at() })
    return { token, session: await sessionOf(found) }
  }

  /** Signs a member in who has shown who it is, unless its password has changed since it was found. */
  async function signInAs(
    { id: memberId, passwordHash }: Pick<NewMember, 'id' | 'passwordHash'>,
    formerToken?: string,
  ): Promise<SignedIn> {
    const { token, row } = newSession()
    await store.createMemberSession({ ...row, memberId }, passwordHash)
    return begin(token, formerToken)
  }

  /** Creates the member whom an invitation is for, or changes its name and password, and signs it in. */
  async function join(
    invitationHash: string,
    fields: Pick<NewMember, 'name' | 'passwordHash' | 'oidcAccount'>,
    formerToken?: string,
  ): Promise<SignedIn> {
    const now = clock.now()
    const { token, row } = newSession()
    const member = { ...fields, id: createId(now), createdAt: timestamp(now) }
    const result = await store.acceptInvitation(invitationHash, member, row)
    if (result === 'ended') throw invitationEnded()
    if (result === 'email_taken')
      throw problem('email_taken', {
        detail: 'The email of this invitation belongs to somebody of another team already.',
      })
    return begin(token, formerToken)
  }

  return {
    signInAs,
    join,

    /** The member of a token. Throws the 401 if its session is not open. */
    async require(token: string): Promise<SignedInMember> {
      const found = await find(token)
      if (found) return found
      // It may have expired: setting the clock back must not open it again.
      if (await find(token, '')) await store.endMemberSession(hashToken(token))
      throw sessionEnded()
    },

    /** Throws the same 401, after the same time, for a wrong password and an unknown email. */
    async signIn({ email, password }: BodyOf<'signIn'>, formerToken?: string): Promise<SignedIn> {
      const key = emailKey(email)
      const member = key === null ? null : await store.findMemberByEmail(key)
      const isRight = await verifyPassword(password, member?.passwordHash ?? undefined)
      if (!member || !isRight)
        throw problem('unauthorized', { detail: 'The email or the password is wrong.', headers: {} })
      return signInAs(member, formerToken)
    },

    async lookAtInvitation(token: string): Promise<Omit<Invitation, 'methods'>> {
      const { email, organization, name } = await requireInvitation(token)
      return { email, organization, name }
    },

    async acceptInvitation(
      { token, name, password }: BodyOf<'acceptInvitation'>,
      formerToken?: string,
    ): Promise<SignedIn> {
      const { hash } = await requireInvitation(token)
      return join(hash, { name, passwordHash: await hashPassword(password) }, formerToken)
    },

    session: sessionOf,

    /** Records that the member is active, which extends its session, or that it has gone away. */
    async setPresence(member: SignedInMember, { presence }: BodyOf<'setPresence'>): Promise<void> {
      const isAway = presence === 'away'
      // The time at which it went away stays: after a while its conversations wait for somebody else.
      if (isAway && member.isAway) return
      await store.touchMember(member.id, { isAway, at: at() })
      if (!isAway) await store.extendMemberSession(member.sessionHash, expiryOf(Date.parse(member.sessionBegunAt)))
    },

    signOut: ({ sessionHash }: SignedInMember): Promise<void> => end(sessionHash),
  }

  async function requireInvitation(token: string) {
    const found = memberTokenPattern.test(token) ? await store.findInvitation(hashToken(token), at()) : null
    if (!found) throw invitationEnded()
    return found
  }
}

/** The member, for what is recorded of what it does. */
export const actorOf = ({ id, name }: Actor): Actor => ({ id, name })

const sessionEnded = (): ProblemError =>
  problem('unauthorized', { detail: 'The session has ended: sign in again.', headers: {} })
const invitationEnded = (): ProblemError =>
  problem('not_found', { detail: 'The invitation was used or has expired: ask an admin of your team for a new one.' })

type InvitationFields = Pick<MemberRow, 'organizationId' | 'email' | 'role' | 'botIds'>

/**
 * Creates an invitation; without an `actor`, that of the command line. Resolves to the token of its link, which is not stored. Throws `invalid_request` if the email belongs to
 * a member of the organization, or one of the bots is not its.
 */
export async function issueInvitation(
  store: MemberStore & OrganizationStore,
  invitation: InvitationFields,
  clock: Pick<Clock, 'now'>,
  actor: Actor | null = null,
): Promise<string> {
  await requireRights(store, invitation)
  return createLink(store, 'invited', invitation, clock, actor)
}

/** Creates a link with which a member chooses a new name and password. Resolves to its token, which is not stored. */
export const issuePasswordLink = (
  store: MemberStore,
  { organizationId, email, role, botIds }: MemberRow,
  clock: Pick<Clock, 'now'>,
  actor: Actor | null = null,
): Promise<string> => createLink(store, 'password_link', { organizationId, email, role, botIds }, clock, actor)

async function createLink(
  store: MemberStore,
  event: Parameters<MemberStore['createInvitation']>[0],
  invitation: InvitationFields,
  clock: Pick<Clock, 'now'>,
  actor: Actor | null,
): Promise<string> {
  const { token, hash } = mintHexToken()
  const now = clock.now()
  const dates = { createdAt: timestamp(now), expiresAt: timestamp(now + invitationLifetime) }
  const row = { ...invitation, hash, emailKey: requireEmailKey(invitation.email), ...dates }
  const result = await store.createInvitation(event, row, actor)
  if (result === 'not_found') throw notFound()
  if (result === 'email_taken')
    throw fieldProblem('/email', 'email_taken', 'The email belongs to a member of your team already.')
  return token
}

/** Throws `invalid_request` if one of the bots is not the organization's, or if an admin would be limited to some. */
export async function requireRights(
  store: Pick<OrganizationStore, 'listBots'>,
  { organizationId, role, botIds }: Pick<MemberRow, 'organizationId' | 'role' | 'botIds'>,
): Promise<void> {
  if (botIds === null) return
  if (role === 'admin') throw fieldProblem('/botIds', 'unknown', 'Must be null for an admin, who sees all bots.')
  const known = new Set((await store.listBots(organizationId)).map(bot => bot.id))
  if (botIds.length === 0 || botIds.some(id => !known.has(id)))
    throw fieldProblem('/botIds', 'unknown', 'Must be ids of bots of your organization, or null for all of them.')
}

/** The link of an invitation. Its token is in the fragment, which browsers send to no server. */
export const invitationUrl = (baseUrl: string, token: string): string =>
  `${baseUrl.replace(/\/+$/, '')}/desk/invite#${token}`

/** The bots whose conversations a member sees. */
export async function listVisibleBots(
  store: Pick<OrganizationStore, 'listBots'>,
  { organizationId, botIds }: Pick<MemberRow, 'organizationId' | 'botIds'>,
): Promise<Bot[]> {
  const bots = await store.listBots(organizationId)
  return botIds === null ? bots : bots.filter(({ id }) => botIds.includes(id))
}

const toDeskBot = ({ id, name, attachments, responder }: Bot): DeskBot => ({
  id,
  name,
  attachments,
  hasResponder: responder.kind !== 'none',
})
