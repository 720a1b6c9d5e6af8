import type { DatabaseSync } from 'node:sqlite'
import type { BotProfile } from '../../../contract/index.ts'
import { changeBot } from '../rules/bots.ts'
import type { Bot, Organization, OrganizationStore, OrganizationToken } from '../store.ts'
import { prepare, type Sync } from './connection.ts'

export type OrganizationReads = Sync<
  Pick<
    OrganizationStore,
    'listOrganizations' | 'listBots' | 'findBot' | 'listOrganizationTokens' | 'findOrganizationToken'
  >
>
export type OrganizationWrites = Sync<
  Pick<
    OrganizationStore,
    | 'createOrganization'
    | 'createBot'
    | 'updateBot'
    | 'setVisitors'
    | 'createOrganizationToken'
    | 'touchOrganizationToken'
    | 'revokeOrganizationTokens'
  >
>

const tokenColumns = `hash, prefix, organization_id AS organizationId, dev, created_at AS createdAt,
  last_used_at AS lastUsedAt, revoked_at AS revokedAt`
const botColumns = `organization_id AS organizationId, profile, origins, responder, events, limits, texts,
  created_at AS createdAt`

export function organizationReads(db: DatabaseSync): OrganizationReads {
  const organizations = prepare<Organization>(
    db,
    'SELECT id, name, created_at AS createdAt FROM organizations ORDER BY created_at, id',
  )
  const bots = prepare<BotRecord>(
    db,
    `SELECT ${botColumns} FROM bots WHERE $id IS NULL OR organization_id = $id ORDER BY created_at, id`,
  )
  const bot = prepare<BotRecord>(db, `SELECT ${botColumns} FROM bots WHERE id = ?`)
  const tokens = prepare<TokenRecord>(
    db,
    `SELECT ${tokenColumns} FROM organization_tokens WHERE $id IS NULL OR organization_id = $id ORDER BY created_at, hash`,
  )
  const token = prepare<TokenRecord>(db, `SELECT ${tokenColumns} FROM organization_tokens WHERE hash = ?`)

  return {
    listOrganizations: () => organizations.all().map(row => ({ ...row })),
    listBots: organizationId => bots.all({ id: organizationId ?? null }).map(toBot),
    findBot(botId) {
      const row = bot.get(botId)
      return row ? toBot(row) : null
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
  const { findBot } = organizationReads(db)
  const insertBot = db.prepare(
    `INSERT INTO bots (id, organization_id, profile, origins, responder, events, limits, texts, created_at)
     VALUES ($id, $organizationId, $profile, $origins, $responder, $events, $limits, $texts, $createdAt)`,
  )
  const updateSettings = db.prepare(
    `UPDATE bots SET profile = $profile, origins = $origins, responder = $responder, events = $events,
       limits = $limits, texts = $texts
     WHERE id = $id`,
  )
  const endAnonymous = db.prepare(
    `UPDATE sessions SET end_reason = 'revoked', ended_at = ?
     WHERE bot_id = ? AND contact_id IS NULL AND ended_at IS NULL`,
  )
  const insertToken = db.prepare(
    `INSERT INTO organization_tokens (hash, prefix, organization_id, dev, created_at, last_used_at, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const touch = db.prepare(
    `UPDATE organization_tokens SET last_used_at = $at WHERE hash = $hash AND coalesce(last_used_at, '') < $at`,
  )
  const revokeDev = db.prepare('UPDATE organization_tokens SET revoked_at = ? WHERE dev = 1 AND revoked_at IS NULL')
  const revokePrefix = db.prepare(
    'UPDATE organization_tokens SET revoked_at = ? WHERE prefix = ? AND revoked_at IS NULL',
  )

  return {
    createOrganization({ id, name, createdAt }) {
      insertOrganization.run(id, name, createdAt)
    },
    createBot(bot) {
      insertBot.run({ ...toColumns(bot), organizationId: bot.organizationId, createdAt: bot.createdAt })
    },
    updateBot(botId, changes, expected) {
      const before = findBot(botId)
      if (!before) return 'not_found'
      const after = changeBot(before, changes, expected)
      if (after !== 'conflict') updateSettings.run(toColumns(after))
      return after
    },
    setVisitors(botId, visitors, at) {
      const before = findBot(botId)
      if (!before) return 'not_found'
      const after = { ...before, visitors }
      updateSettings.run(toColumns(after))
      if (visitors === 'contacts') endAnonymous.run(at, botId)
      return after
    },
    createOrganizationToken({ hash, prefix, organizationId, dev, createdAt, lastUsedAt, revokedAt }) {
      insertToken.run(hash, prefix, organizationId, dev ? 1 : 0, createdAt, lastUsedAt, revokedAt)
    },
    touchOrganizationToken(hash, at) {
      touch.run({ hash, at })
    },
    revokeOrganizationTokens(which, at) {
      return Number('dev' in which ? revokeDev.run(at).changes : revokePrefix.run(at, which.prefix).changes)
    },
  }
}

interface BotRecord {
  organizationId: string
  profile: string
  origins: string
  responder: string
  events: string | null
  limits: string
  texts: string
  createdAt: string
}

function toBot({ profile, origins, responder, events, limits, texts, ...rest }: BotRecord): Bot {
  return {
    ...(JSON.parse(profile) as BotProfile),
    ...rest,
    origins: JSON.parse(origins) as string[],
    responder: JSON.parse(responder) as Bot['responder'],
    events: events === null ? null : (JSON.parse(events) as Bot['events']),
    limits: JSON.parse(limits) as Bot['limits'],
    texts: JSON.parse(texts) as Bot['texts'],
  }
}

function toColumns({ organizationId: _, createdAt: __, origins, responder, events, limits, texts, ...profile }: Bot) {
  return {
    id: profile.id,
    profile: JSON.stringify(profile),
    origins: JSON.stringify(origins),
    responder: JSON.stringify(responder),
    events: events && JSON.stringify(events),
    limits: JSON.stringify(limits),
    texts: JSON.stringify(texts),
  }
}

interface TokenRecord extends Omit<OrganizationToken, 'dev'> {
  dev: number
}

function toToken({ dev, ...rest }: TokenRecord): OrganizationToken {
  return { ...rest, dev: dev === 1 }
}
