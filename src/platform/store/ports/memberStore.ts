import type { MemberRole } from '../../../contract/desk.ts'
import type { NotFound } from './common.ts'
import type { Actor, Handover } from './conversationStore.ts'

/** A member of the team that answers the conversations of an organization. */
export interface MemberRow {
  id: string
  organizationId: string
  name: string
  email: string
  role: MemberRole
  /** The bots whose conversations it sees; `null` for all of the organization. */
  botIds: string[] | null
  /** Whether it has said that it is away. */
  isAway: boolean
  /** When it was last active at the desk; `null` if never. */
  activeAt: string | null
  createdAt: string
}
/** A member with the session of its request. */
export interface SignedInMember extends MemberRow {
  sessionHash: string
  sessionBegunAt: string
  organizationName: string
}
/** An account at an OpenID Connect provider. The provider never gives the subject to somebody else. */
export interface OidcAccount {
  issuer: string
  subject: string
}
/** A new member. The platform has at most one with an email. */
export interface NewMember extends Omit<MemberRow, 'isAway' | 'activeAt'> {
  /** How `domain/passwords.ts` keeps it; `null` without one. */
  passwordHash: string | null
  /** The account with which it has joined. */
  oidcAccount?: OidcAccount
}

export interface InvitationRow {
  /** The hash of the token in its link. */
  hash: string
  organizationId: string
  email: string
  emailKey: string
  role: MemberRole
  botIds: string[] | null
  createdAt: string
  expiresAt: string
}

export interface MemberSession {
  hash: string
  memberId: string
  createdAt: string
  /** When it ends if it is not extended before. */
  expiresAt: string
}

/** Members of teams, their invitations and their sessions at the desk. */
export interface MemberStore {
  /**
   * Replaces the open invitation of the organization for that email. A `password_link` is for a member, an invitation for
   * somebody who is none: otherwise `not_found` or `email_taken`. `actor`: the admin who invites, `null` for the command line;
   * `not_found` if it is no admin any more. The audit list records it.
   */
  createInvitation(
    event: 'invited' | 'password_link',
    invitation: InvitationRow,
    actor: Actor | null,
  ): Promise<'created' | 'email_taken' | NotFound>
  /** The invitations of an organization that are open at `now`, newest first. */
  listInvitations(organizationId: string, now: string): Promise<InvitationRow[]>
  deleteInvitation(organizationId: string, hash: string, actor: Actor, at: string): Promise<'deleted' | NotFound>
  /**
   * The invitation with the names of its organization and, if it is for a new password, of the member; `null` if it was used or
   * has expired.
   */
  findInvitation(
    hash: string,
    now: string,
  ): Promise<(InvitationRow & { organization: string; name: string | null }) | null>
  /** The newest open invitation for an email, of any organization. */
  findInvitationByEmail(emailKey: string, now: string): Promise<Pick<InvitationRow, 'hash'> | null>
  /**
   * Creates the member with the email, the role and the bots of the invitation, or gives the one that the organization has with
   * that email its new name and password, and ends its sessions. Ends the invitation, and begins a session. `email_taken`: the
   * email belongs to a member of another organization, and the invitation stays.
   */
  acceptInvitation(
    hash: string,
    member: Pick<NewMember, 'id' | 'name' | 'passwordHash' | 'oidcAccount' | 'createdAt'>,
    session: Omit<MemberSession, 'memberId'>,
  ): Promise<'accepted' | 'ended' | 'email_taken'>

  /** The member with that email, and the hash of its password; `null` if there is none. */
  findMemberByEmail(emailKey: string): Promise<(MemberRow & Pick<NewMember, 'passwordHash'>) | null>
  /**
   * Connects the member with its account at this issuer, for good. Resolves to `false` if it has another one there.
   */
  connectOidcAccount(memberId: string, account: OidcAccount): Promise<boolean>
  /** The members of an organization by name. */
  listMembers(organizationId: string): Promise<MemberRow[]>
  /** Whether any organization has a member or an open invitation. */
  findAnyMember(now: string): Promise<boolean>
  /**
   * Changes what the member may do. If anything changes, its sessions and the invitations that it has made end, and its open
   * conversations that it does not see any more wait for another member.
   */
  updateMember(
    member: Pick<MemberRow, 'organizationId' | 'id' | 'role' | 'botIds'>,
    actor: Actor,
    handover: Handover,
  ): Promise<'updated' | 'last_admin' | NotFound>
  /**
   * Removes the member, its sessions, and the invitations for its email and by it. Its open conversations wait for another
   * member (`releaseConversations`). Only the command line (`null`) removes the last admin.
   */
  removeMember(
    member: Pick<MemberRow, 'organizationId' | 'id'>,
    actor: Actor | null,
    handover: Handover,
  ): Promise<'removed' | 'last_admin' | NotFound>
  /** Records that the member is at the desk, or that it has gone away. */
  touchMember(memberId: string, presence: { isAway: boolean; at: string }): Promise<void>
  /** Records that these members are at the desk, except for those who are away. */
  touchMembers(memberIds: string[], at: string): Promise<void>

  /** Nothing happens if the member was removed or has another password than the one with this hash. */
  createMemberSession(session: MemberSession, passwordHash: string | null): Promise<void>
  /** The member of a session that is open at `now`. */
  findMemberSession(hash: string, now: string): Promise<SignedInMember | null>
  extendMemberSession(hash: string, expiresAt: string): Promise<void>
  /** The sessions of a member that are open at `now`, newest first. */
  listMemberSessions(memberId: string, now: string): Promise<MemberSession[]>
  /** `admin`: who ends the session of somebody else. */
  endMemberSession(hash: string, admin?: { actor: Actor; at: string }): Promise<void>
  /** Those of the sessions that are not open any more. */
  findEndedMemberSessions(hashes: string[], now: string): Promise<string[]>
}
