import { isDeepStrictEqual } from 'node:util'
import { type Database, type Flag, parseJson, type Queries } from '../database.ts'
import { omitUndefined } from '../omitUndefined.ts'
import type { Bot, BotChanges, BotScope, Organization, OrganizationStore, OrganizationToken } from '../store.ts'
import { endSessions } from './sessions.ts'

const tokenColumns = `hash, prefix, organization_id AS "organizationId", dev, created_at AS "createdAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"`
const botColumns = 'id, organization_id AS "organizationId", settings, created_at AS "createdAt"'

export async function hasBot(db: Queries, { organizationId, botId }: BotScope): Promise<boolean> {
  const row = await db.one('SELECT id FROM bots WHERE id = $1 AND organization_id = $2', [botId, organizationId])
  return row !== undefined
}

async function lockBot(tx: Queries, botId: string): Promise<Bot | undefined> {
  const row = await tx.one<BotRecord>(`SELECT ${botColumns} FROM bots WHERE id = $1 FOR NO KEY UPDATE`, [botId])
  return row && toBot(row)
}

async function storeSettings(tx: Queries, bot: Bot): Promise<Bot> {
  await tx.all('UPDATE bots SET settings = $2 WHERE id = $1', [bot.id, settingsOf(bot)])
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
      await db.write('INSERT INTO bots (id, organization_id, settings, created_at) VALUES ($1, $2, $3, $4)', [
        bot.id,
        bot.organizationId,
        settingsOf(bot),
        bot.createdAt,
      ])
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

interface BotRecord extends Pick<Bot, 'id' | 'organizationId' | 'createdAt'> {
  /** JSON. */
  settings: string
}

const toBot = ({ settings, ...columns }: BotRecord): Bot => ({
  ...parseJson<Omit<Bot, keyof BotRecord>>(settings),
  ...columns,
})

/** What is stored as JSON: all that has no column of its own. */
const settingsOf = ({ id: _, organizationId: __, createdAt: ___, ...settings }: Bot): string => JSON.stringify(settings)

type TokenRecord = Omit<OrganizationToken, 'dev'> & { dev: Flag }

const toToken = ({ dev, ...token }: TokenRecord): OrganizationToken => ({ ...token, dev: Boolean(dev) })
