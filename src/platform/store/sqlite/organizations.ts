import type { DatabaseSync } from 'node:sqlite'
import type { BotFace } from '../../../contract/index.ts'
import type { Bot, Organization, OrganizationToken, Store } from '../store.ts'
import type { Sync } from './connection.ts'

export type OrganizationReads = Sync<
  Pick<Store, 'listOrganizations' | 'listBots' | 'findBot' | 'listOrganizationTokens' | 'findOrganizationToken'>
>
export type OrganizationWrites = Sync<
  Pick<Store, 'createOrganization' | 'createBot' | 'createOrganizationToken' | 'revokeOrganizationTokens'>
>

const tokenColumns = `hash, prefix, organization_id AS organizationId, dev, created_at AS createdAt,
  revoked_at AS revokedAt`
const botColumns = 'id, organization_id AS organizationId, face, origins, created_at AS createdAt'

export function organizationReads(db: DatabaseSync): OrganizationReads {
  const organizations = db.prepare(
    'SELECT id, name, created_at AS createdAt FROM organizations ORDER BY created_at, id',
  )
  const bots = db.prepare(
    `SELECT ${botColumns} FROM bots WHERE $id IS NULL OR organization_id = $id ORDER BY created_at, id`,
  )
  const bot = db.prepare(`SELECT ${botColumns} FROM bots WHERE id = ?`)
  const tokens = db.prepare(
    `SELECT ${tokenColumns} FROM organization_tokens WHERE $id IS NULL OR organization_id = $id ORDER BY created_at, hash`,
  )
  const token = db.prepare(`SELECT ${tokenColumns} FROM organization_tokens WHERE hash = ?`)

  return {
    listOrganizations: () => organizations.all().map(row => ({ ...row }) as unknown as Organization),
    listBots: organizationId => bots.all({ id: organizationId ?? null }).map(row => toBot(row as unknown as BotRecord)),
    findBot(botId) {
      const row = bot.get(botId)
      return row ? toBot(row as unknown as BotRecord) : null
    },
    listOrganizationTokens: organizationId => tokens.all({ id: organizationId ?? null }).map(toToken),
    findOrganizationToken(hash) {
      const row = token.get(hash)
      return row ? toToken(row) : null
    },
  }
}

export function organizationWrites(db: DatabaseSync): OrganizationWrites {
  const insertOrganization = db.prepare('INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)')
  const insertBot = db.prepare(
    'INSERT INTO bots (id, organization_id, face, origins, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const insertToken = db.prepare(
    `INSERT INTO organization_tokens (hash, prefix, organization_id, dev, created_at, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const revokeDev = db.prepare('UPDATE organization_tokens SET revoked_at = ? WHERE dev = 1 AND revoked_at IS NULL')
  const revokePrefix = db.prepare(
    'UPDATE organization_tokens SET revoked_at = ? WHERE prefix = ? AND revoked_at IS NULL',
  )

  return {
    createOrganization({ id, name, createdAt }) {
      insertOrganization.run(id, name, createdAt)
    },
    createBot({ organizationId, origins, createdAt, ...face }) {
      insertBot.run(face.id, organizationId, JSON.stringify(face), JSON.stringify(origins), createdAt)
    },
    createOrganizationToken({ hash, prefix, organizationId, dev, createdAt, revokedAt }) {
      insertToken.run(hash, prefix, organizationId, dev ? 1 : 0, createdAt, revokedAt)
    },
    revokeOrganizationTokens(which, at) {
      return Number('dev' in which ? revokeDev.run(at).changes : revokePrefix.run(at, which.prefix).changes)
    },
  }
}

interface BotRecord {
  organizationId: string
  face: string
  origins: string
  createdAt: string
}

function toBot({ organizationId, face, origins, createdAt }: BotRecord): Bot {
  return { ...(JSON.parse(face) as BotFace), organizationId, origins: JSON.parse(origins) as string[], createdAt }
}

function toToken(row: Record<string, unknown>): OrganizationToken {
  return { ...(row as unknown as OrganizationToken), dev: row['dev'] === 1 }
}
