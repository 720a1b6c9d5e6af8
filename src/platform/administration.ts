import { type Clock, systemClock } from './clock.ts'
import { type Command, UsageError } from './config.ts'
import { createBotRow, issueOrganizationToken } from './development.ts'
import { createId } from './domain/ids.ts'
import { timestamp } from './domain/time.ts'
import { tokenPrefixLength } from './domain/tokens.ts'
import { createSqliteStore } from './store/sqlite/sqliteStore.ts'
import type { Store } from './store/store.ts'

export type AdministrationCommand = Exclude<Command, { name: 'help' | 'version' | 'serve' }>

/** Does what `natter org|bot|token` asks for; resolves to the lines to print. */
export async function administer(command: AdministrationCommand, clock: Clock = systemClock): Promise<string[]> {
  if (command.database === ':memory:')
    throw new UsageError('A database in memory is gone with this command: name a file with --database.')
  const store = await createSqliteStore({ file: command.database })
  try {
    return await run(store, command, clock)
  } finally {
    await store.close()
  }
}

async function run(store: Store, command: AdministrationCommand, clock: Clock): Promise<string[]> {
  const now = clock.now()
  switch (command.name) {
    case 'org create': {
      const id = createId(now)
      await store.createOrganization({ id, name: command.title, createdAt: timestamp(now) })
      return [id]
    }
    case 'org list':
      return (await store.listOrganizations()).map(({ id, name }) => row(id, name))
    case 'bot create': {
      await requireOrganization(store, command.organizationId)
      const bot = createBotRow({ organizationId: command.organizationId, ...command.bot }, clock)
      await store.createBot(bot)
      return [bot.id]
    }
    case 'bot list': {
      const bots = await store.listBots(command.organizationId)
      return bots.map(({ id, organizationId, name, origins }) => row(id, organizationId, name, origins.join(' ')))
    }
    case 'token create': {
      await requireOrganization(store, command.organizationId)
      return [await issueOrganizationToken(store, command.organizationId, { clock })]
    }
    case 'token list': {
      const tokens = await store.listOrganizationTokens(command.organizationId)
      return tokens.map(({ prefix, organizationId, dev, createdAt, revokedAt }) =>
        row(
          `${prefix}…`,
          organizationId,
          createdAt,
          revokedAt ? `revoked ${revokedAt}` : dev ? 'open (--dev)' : 'open',
        ),
      )
    }
    case 'token revoke': {
      // The whole of the shown part: fewer characters could end more tokens than were meant.
      const prefix = command.prefix.replace(/…$/, '').slice(0, tokenPrefixLength)
      if (prefix.length < tokenPrefixLength)
        throw new UsageError(
          `Give the first ${tokenPrefixLength} characters of the token, as "natter token list" shows them.`,
        )
      const count = await store.revokeOrganizationTokens({ prefix }, timestamp(now))
      if (count === 0)
        throw new UsageError(`No open token starts with ${prefix}. "natter token list" shows those there are.`)
      return [`revoked ${count}`]
    }
  }
}

const row = (...cells: string[]): string => cells.join('\t')

async function requireOrganization(store: Store, id: string): Promise<void> {
  const known = await store.listOrganizations()
  if (!known.some(organization => organization.id === id))
    throw new UsageError(`There is no organization ${id}. "natter org list" shows those there are.`)
}
