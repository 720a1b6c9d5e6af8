import { type Database, type Flag, parseJson, type Queries } from '../database.ts'
import type { InvitationRow, MemberRow, MemberSession, MemberStore, NewMember, SignedInMember } from '../store.ts'
import { recordAudit } from './audit.ts'
import { releaseAllOf } from './desk.ts'

const memberColumns = `m.id, m.organization_id AS "organizationId", m.name, m.email, m.role, m.bot_ids AS "botIds",
  m.is_away AS "isAway", m.active_at AS "activeAt", m.created_at AS "createdAt"`

/** A member as a query finds it, perhaps with further columns. */
interface MemberRecord extends Omit<MemberRow, 'botIds' | 'isAway'> {
  /** JSON. */
  botIds: string | null
  isAway: Flag
}
const toMember = <Found extends MemberRecord>({ botIds, isAway, ...rest }: Found) => ({
  ...rest,
  botIds: parseJson<string[]>(botIds),
  isAway: Boolean(isAway),
})

const invitationColumns = `i.hash, i.organization_id AS "organizationId", i.email, i.email_key AS "emailKey", i.role,
  i.bot_ids AS "botIds", i.created_at AS "createdAt", i.expires_at AS "expiresAt"`

interface InvitationRecord extends Omit<InvitationRow, 'botIds'> {
  /** JSON. */
  botIds: string | null
}
const toInvitation = <Found extends InvitationRecord>(row: Found) => ({
  ...row,
  botIds: parseJson<string[]>(row.botIds),
})

const toJson = (botIds: string[] | null): string | null => (botIds === null ? null : JSON.stringify(botIds))

const insertSession = 'INSERT INTO member_sessions (hash, member_id, created_at, expires_at) VALUES ($1, $2, $3, $4)'

export function members(db: Database) {
  return {
    createInvitation: (event, { botIds, ...invitation }, actor) =>
      db.transact(async tx => {
        const { hash, organizationId, email, emailKey, role, createdAt, expiresAt } = invitation
        // Whoever removes or changes one of them waits, and then finds this invitation.
        const involved = await tx.all<Pick<MemberRecord, 'id' | 'role'> & { emailKey: string }>(
          `SELECT id, role, email_key AS "emailKey" FROM members
           WHERE organization_id = $1 AND (id = $2 OR email_key = $3) ORDER BY id FOR KEY SHARE`,
          [organizationId, actor?.id ?? null, emailKey],
        )
        if (actor && !involved.some(({ id, role }) => id === actor.id && role === 'admin')) return 'not_found'
        const isMember = involved.some(member => member.emailKey === emailKey)
        if (event === 'invited' && isMember) return 'email_taken'
        if (event === 'password_link' && !isMember) return 'not_found'
        await tx.all(
          `INSERT INTO invitations
             (hash, organization_id, email, email_key, role, bot_ids, created_by, created_at, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (organization_id, email_key) DO UPDATE SET hash = excluded.hash, email = excluded.email,
             role = excluded.role, bot_ids = excluded.bot_ids, created_by = excluded.created_by,
             created_at = excluded.created_at, expires_at = excluded.expires_at`,
          [
            ...[hash, organizationId, email, emailKey, role, toJson(botIds)],
            ...[actor?.id ?? null, createdAt, expiresAt],
          ],
        )
        await recordAudit(tx, { organizationId, event, member: actor, about: email, createdAt })
        return 'created'
      }),
    async listInvitations(organizationId, now) {
      const rows = await db.all<InvitationRecord>(
        `SELECT ${invitationColumns} FROM invitations i
         WHERE i.organization_id = $1 AND i.expires_at > $2 ORDER BY i.created_at DESC, i.hash`,
        [organizationId, now],
      )
      return rows.map(toInvitation)
    },
    deleteInvitation: (organizationId, hash, member, at) =>
      db.transact(async tx => {
        const deleted = await tx.one<{ email: string }>(
          'DELETE FROM invitations WHERE organization_id = $1 AND hash = $2 AND expires_at > $3 RETURNING email',
          [organizationId, hash, at],
        )
        if (!deleted) return 'not_found'
        const { email: about } = deleted
        await recordAudit(tx, { organizationId, event: 'invitation_withdrawn', member, about, createdAt: at })
        return 'deleted'
      }),
    async findInvitation(hash, now) {
      const row = await db.one<InvitationRecord & { organization: string; name: string | null }>(
        `SELECT ${invitationColumns}, o.name AS organization, m.name
         FROM invitations i JOIN organizations o ON o.id = i.organization_id
         LEFT JOIN members m ON m.organization_id = i.organization_id AND m.email_key = i.email_key
         WHERE i.hash = $1 AND i.expires_at > $2`,
        [hash, now],
      )
      return row ? toInvitation(row) : null
    },
    async findInvitationByEmail(emailKey, now) {
      const row = await db.one<{ hash: string }>(
        'SELECT hash FROM invitations WHERE email_key = $1 AND expires_at > $2 ORDER BY created_at DESC, hash LIMIT 1',
        [emailKey, now],
      )
      return row ?? null
    },
    acceptInvitation: (hash, { id, name, passwordHash, oidcAccount, createdAt }, session) =>
      db.transact(async tx => {
        // Of two requests with the same link, the second waits here, and finds nothing.
        const invitation = await tx.one<{
          organizationId: string
          email: string
          emailKey: string
          role: string
          botIds: string | null
        }>(
          `SELECT organization_id AS "organizationId", email, email_key AS "emailKey", role, bot_ids AS "botIds"
           FROM invitations WHERE hash = $1 AND expires_at > $2 FOR UPDATE`,
          [hash, createdAt],
        )
        if (!invitation) return 'ended'
        const { organizationId, email, emailKey, role, botIds } = invitation
        const member = await tx.one<{ id: string }>(
          `INSERT INTO members (id, organization_id, name, email, email_key, role, bot_ids, password_hash, oidc_issuer,
             oidc_subject, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
           ON CONFLICT (email_key) DO UPDATE SET name = excluded.name, password_hash = excluded.password_hash
             WHERE members.organization_id = excluded.organization_id
           RETURNING id`,
          [
            ...[id, organizationId, name, email, emailKey, role, botIds, passwordHash],
            ...[oidcAccount?.issuer ?? null, oidcAccount?.subject ?? null, createdAt],
          ],
        )
        if (!member) return 'email_taken'
        await endInvitation(tx, organizationId, emailKey)
        await tx.all('DELETE FROM member_sessions WHERE member_id = $1', [member.id])
        await tx.all(insertSession, [session.hash, member.id, session.createdAt, session.expiresAt])
        return 'accepted'
      }),

    async findMemberByEmail(emailKey) {
      const row = await db.one<MemberRecord & Pick<NewMember, 'passwordHash'>>(
        `SELECT ${memberColumns}, m.password_hash AS "passwordHash" FROM members m WHERE m.email_key = $1`,
        [emailKey],
      )
      return row ? toMember(row) : null
    },
    async connectOidcAccount(memberId, { issuer, subject }) {
      const connected = await db.write(
        `UPDATE members SET oidc_issuer = $2, oidc_subject = $3
         WHERE id = $1 AND (oidc_issuer IS DISTINCT FROM $2 OR oidc_subject = $3) RETURNING id`,
        [memberId, issuer, subject],
      )
      return connected.length > 0
    },
    async listMembers(organizationId) {
      const rows = await db.all<MemberRecord>(
        `SELECT ${memberColumns} FROM members m WHERE m.organization_id = $1 ORDER BY m.name, m.id`,
        [organizationId],
      )
      return rows.map(toMember)
    },
    async findAnyMember(now) {
      const row = await db.one<{ isAny: Flag }>(
        `SELECT EXISTS (SELECT 1 FROM members) OR EXISTS (SELECT 1 FROM invitations WHERE expires_at > $1) AS "isAny"`,
        [now],
      )
      return Boolean(row?.isAny)
    },
    updateMember: ({ organizationId, id, role, botIds }, actor, handover) =>
      db.transact(async tx => {
        const found = await lockInTeam(tx, organizationId, id)
        if (!found) return 'not_found'
        if (found.isLastAdmin && role !== 'admin') return 'last_admin'
        if (found.role === role && found.botIds === toJson(botIds)) return 'updated'
        await tx.all('UPDATE members SET role = $2, bot_ids = $3 WHERE id = $1', [id, role, toJson(botIds)])
        if (botIds !== null) await releaseAllOf(tx, id, handover, botIds)
        await tx.all('DELETE FROM member_sessions WHERE member_id = $1', [id])
        await tx.all('DELETE FROM invitations WHERE created_by = $1', [id])
        const entry = { organizationId, event: 'member_changed', member: actor, about: found.name } as const
        await recordAudit(tx, { ...entry, createdAt: handover.at })
        return 'updated'
      }),
    removeMember: ({ organizationId, id }, actor, handover) =>
      db.transact(async tx => {
        const found = await lockInTeam(tx, organizationId, id)
        if (!found) return 'not_found'
        if (found.isLastAdmin && actor) return 'last_admin'
        await releaseAllOf(tx, id, handover)
        await endInvitation(tx, organizationId, found.emailKey)
        await tx.all('DELETE FROM members WHERE id = $1', [id])
        const entry = { organizationId, event: 'member_removed', member: actor, about: found.name } as const
        await recordAudit(tx, { ...entry, createdAt: handover.at })
        return 'removed'
      }),
    async touchMember(memberId, { isAway, at }) {
      await db.write('UPDATE members SET is_away = $2, active_at = $3 WHERE id = $1', [memberId, isAway, at])
    },
    async touchMembers(memberIds, at) {
      // In the order of the ids: two nodes may do this at the same time.
      await db.write(
        `UPDATE members SET active_at = $2 WHERE id IN
           (SELECT id FROM members WHERE id = ANY ($1) AND NOT is_away ORDER BY id FOR NO KEY UPDATE)`,
        [memberIds, at],
      )
    },

    async createMemberSession({ hash, memberId, createdAt, expiresAt }, passwordHash) {
      // Waits for a new password that is being stored, which ends the sessions that there are.
      await db.write(
        `INSERT INTO member_sessions (hash, member_id, created_at, expires_at)
         SELECT $1::text, id, $3::text, $4::text FROM members
         WHERE id = $2 AND password_hash IS NOT DISTINCT FROM $5 FOR SHARE`,
        [hash, memberId, createdAt, expiresAt, passwordHash],
      )
    },
    async findMemberSession(hash, now) {
      const row = await db.one<MemberRecord & Omit<SignedInMember, keyof MemberRow>>(
        `SELECT ${memberColumns}, s.hash AS "sessionHash", s.created_at AS "sessionBegunAt", o.name AS "organizationName"
         FROM member_sessions s JOIN members m ON m.id = s.member_id JOIN organizations o ON o.id = m.organization_id
         WHERE s.hash = $1 AND s.expires_at > $2`,
        [hash, now],
      )
      return row ? toMember(row) : null
    },
    async extendMemberSession(hash, expiresAt) {
      await db.write('UPDATE member_sessions SET expires_at = $2 WHERE hash = $1', [hash, expiresAt])
    },
    listMemberSessions: (memberId, now) =>
      db.all<MemberSession>(
        `SELECT hash, member_id AS "memberId", created_at AS "createdAt", expires_at AS "expiresAt"
         FROM member_sessions WHERE member_id = $1 AND expires_at > $2 ORDER BY created_at DESC, hash`,
        [memberId, now],
      ),
    endMemberSession: (hash, admin) =>
      db.transact(async tx => {
        const ended = await tx.one<{ memberId: string }>(
          'DELETE FROM member_sessions WHERE hash = $1 RETURNING member_id AS "memberId"',
          [hash],
        )
        if (!admin || !ended) return
        const member = await tx.one<{ organizationId: string; about: string }>(
          'SELECT organization_id AS "organizationId", name AS about FROM members WHERE id = $1',
          [ended.memberId],
        )
        if (member)
          await recordAudit(tx, { ...member, event: 'session_ended', member: admin.actor, createdAt: admin.at })
      }),
    async findEndedMemberSessions(hashes, now) {
      const open = await db.all<{ hash: string }>(
        'SELECT hash FROM member_sessions WHERE hash = ANY ($1) AND expires_at > $2',
        [hashes, now],
      )
      const openHashes = new Set(open.map(({ hash }) => hash))
      return hashes.filter(hash => !openHashes.has(hash))
    },
  } satisfies MemberStore
}

async function endInvitation(tx: Queries, organizationId: string, emailKey: string): Promise<void> {
  await tx.all('DELETE FROM invitations WHERE organization_id = $1 AND email_key = $2', [organizationId, emailKey])
}

/** Locks a member together with all admins: of two admins who remove each other, the second finds that it is the last one. */
async function lockInTeam(tx: Queries, organizationId: string, memberId: string) {
  const locked = await tx.all<Pick<MemberRecord, 'id' | 'name' | 'role' | 'botIds'> & { emailKey: string }>(
    `SELECT id, name, role, bot_ids AS "botIds", email_key AS "emailKey" FROM members
     WHERE organization_id = $1 AND (id = $2 OR role = 'admin') ORDER BY id FOR UPDATE`,
    [organizationId, memberId],
  )
  const found = locked.find(({ id }) => id === memberId)
  const isLastAdmin = found?.role === 'admin' && locked.length === 1
  return found && { ...found, isLastAdmin }
}
