import { isDeepStrictEqual } from 'node:util'
import type { BotProfile } from '../../../contract/index.ts'
import { type Database, type Flag, parseJson, type Queries } from '../database.ts'
import { omitUndefined } from '../omitUndefined.ts'
import type { Bot, BotChanges, BotScope, Organization, OrganizationStore, OrganizationToken } from '../store.ts'
import { endSessions } from './sessions.ts'

const tokenColumns = `hash, prefix, organization_id AS "organizationId", dev, created_at AS "createdAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"`
const botColumns = `organization_id AS "organizationId", profile, origins, responder, events,
  limits, texts, created_at AS "createdAt"`

export async function hasBot(db: Queries, { organizationId, botId }: BotScope): Promise<boolean> {
  const row = await db.one('SELECT id FROM bots WHERE id = $1 AND organization_id = $2', [botId, organizationId])
  return row !== undefined
}

async function lockBot(tx: Queries, botId: string): Promise<Bot | undefined> {
  const row = await tx.one<BotRecord>(`SELECT ${botColumns} FROM bots WHERE id = $1 FOR NO KEY UPDATE`, [botId])
  return row && toBot(row)
}

async function storeSettings(tx: Queries, bot: Bot): Promise<Bot> {
  await tx.all(
    `UPDATE bots SET profile = $2, origins = $3, responder = $4, events = $5, limits = $6, texts = $7 WHERE id = $1`,
    settingsOf(bot),
  )
  return bot
}

export function organizations(db: Database) {
  return {
    async createOrganization({ id, name, createdAt }) {
      await db.write('INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)', [id, name, createdAt])
    },
    listOrganizations: () =>
      db.all<Organization>('SELECT id, name, created_at AS "createdAt" FROM organizations ORDER BY created_at, id'),
    async createBot(bot) {
      await db.write(
        `INSERT INTO bots (id, profile, origins, responder, events, limits, texts, organization_id, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [...settingsOf(bot), bot.organizationId, bot.createdAt],
      )
    },
    async listBots(organizationId) {
      const rows = await db.all<BotRecord>(
        `SELECT ${botColumns} FROM bots WHERE $1::text IS NULL OR organization_id = $1 ORDER BY created_at, id`,
        [organizationId ?? null],
      )
      return rows.map(toBot)
    },
    async findBot(botId) {
      const row = await db.one<BotRecord>(`SELECT ${botColumns} FROM bots WHERE id = $1`, [botId])
      return row ? toBot(row) : null
    },
    updateBot: (botId, changes, expected = {}) =>
      db.transact(async tx => {
        const bot = await lockBot(tx, botId)
        if (!bot) return 'not_found'
        const names = Object.keys(expected) as (keyof BotChanges)[]
        if (names.some(name => !isDeepStrictEqual(bot[name], expected[name]))) return 'conflict'
        return storeSettings(tx, { ...bot, ...omitUndefined(changes) })
      }),
    setVisitors: (botId, visitors, at) =>
      db.transact(async tx => {
        const bot = await lockBot(tx, botId)
        if (!bot) return 'not_found'
        if (visitors === 'contacts')
          await tx.all(`${endSessions} AND bot_id = $3 AND contact_id IS NULL`, ['revoked', at, botId])
        return storeSettings(tx, { ...bot, visitors })
      }),
    async createOrganizationToken({ hash, prefix, organizationId, dev, createdAt, lastUsedAt, revokedAt }) {
      await db.write(
        `INSERT INTO organization_tokens (hash, prefix, organization_id, dev, created_at, last_used_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [hash, prefix, organizationId, dev, createdAt, lastUsedAt, revokedAt],
      )
    },
    async listOrganizationTokens(organizationId) {
      const rows = await db.all<TokenRecord>(
        `SELECT ${tokenColumns} FROM organization_tokens WHERE $1::text IS NULL OR organization_id = $1
         ORDER BY created_at, hash`,
        [organizationId ?? null],
      )
      return rows.map(toToken)
    },
    async findOrganizationToken(hash) {
      const row = await db.one<TokenRecord>(`SELECT ${tokenColumns} FROM organization_tokens WHERE hash = $1`, [hash])
      return row ? toToken(row) : null
    },
    async touchOrganizationToken(hash, at) {
      await db.write(
        `UPDATE organization_tokens SET last_used_at = $2 WHERE hash = $1 AND coalesce(last_used_at, '') < $2`,
        [hash, at],
      )
    },
    async revokeOrganizationTokens(which, at) {
      const [condition, value] = 'dev' in which ? ['dev = $2', which.dev] : ['prefix = $2', which.prefix]
      const revoked = await db.write(
        `UPDATE organization_tokens SET revoked_at = $1 WHERE ${condition} AND revoked_at IS NULL RETURNING hash`,
        [at, value],
      )
      return revoked.length
    },
  } satisfies OrganizationStore
}

/** All but the times and the organization are JSON. */
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

const toBot = ({ organizationId, profile, createdAt, ...record }: BotRecord): Bot => ({
  ...parseJson<BotProfile>(profile),
  organizationId,
  origins: parseJson<Bot['origins']>(record.origins),
  responder: parseJson<Bot['responder']>(record.responder),
  events: parseJson<Bot['events']>(record.events),
  limits: parseJson<Bot['limits']>(record.limits),
  texts: parseJson<Bot['texts']>(record.texts),
  createdAt,
})

type TokenRecord = Omit<OrganizationToken, 'dev'> & { dev: Flag }

const toToken = ({ dev, ...token }: TokenRecord): OrganizationToken => ({ ...token, dev: Boolean(dev) })

function settingsOf({ organizationId: _, createdAt: __, origins, responder, events, limits, texts, ...profile }: Bot) {
  const json = [profile, origins, responder].map(value => JSON.stringify(value))
  return [profile.id, ...json, events && JSON.stringify(events), JSON.stringify(limits), JSON.stringify(texts)]
}
