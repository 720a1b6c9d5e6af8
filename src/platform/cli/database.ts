import { existsSync } from 'node:fs'
import { listSecrets } from '../secrets/botSecrets.ts'
import { createSecretCipher, isEncrypted, type SecretCipher } from '../secrets/secretCipher.ts'
import { isPostgres } from '../store/postgres/address.ts'
import type { Bot, Organization, Store } from '../store/store.ts'
import { type CommandContext, UsageError } from './command.ts'
import { option, refuse } from './option.ts'
import { readDatabase } from './serveOptions.ts'

/** Reads the database of a command. */
export const readKept = (text: string): string =>
  text === ':memory:' ? refuse('Must be a file: a database in memory would end with this command.') : readDatabase(text)

/** The database of a command. A server may be using it. */
export const database = option('--database <DATABASE>', 'The database')
  .argParser(readKept)
  .default('./natter.db')
  .env('NATTER_DATABASE')

/** Requires the database to exist: a misspelt path would otherwise create an empty one. */
export function existing(file: string, option = '--database'): string {
  if (!isPostgres(file) && !existsSync(file))
    throw new UsageError(
      `The database ${file} does not exist: name another one with ${option}, or create it with "natter org create".`,
    )
  return file
}

/** Opens the store of a database, and closes it afterwards. */
export async function withStore<Result>(
  { openStore }: Pick<CommandContext, 'openStore'>,
  file: string,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(file)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Runs a command with the store of its database, which must exist. */
export const onStore =
  <Call extends Pick<CommandContext, 'openStore'> & { values: { database: string } }>(
    run: (call: Call, store: Store) => Promise<void>,
  ) =>
  (call: Call): Promise<void> =>
    withStore(call, existing(call.values.database), store => run(call, store))

export async function findOrganization(store: Store, id: string): Promise<Organization> {
  const found = (await store.listOrganizations()).find(organization => organization.id === id)
  if (found) return found
  throw new UsageError(`There is no organization ${id}. "natter org list" lists them.`)
}

export async function findBot(store: Store, id: string): Promise<Bot> {
  const bot = await store.findBot(id)
  if (bot) return bot
  throw new UsageError(`There is no bot ${id}. "natter bot list" lists them.`)
}

/**
 * The cipher for the secrets of a database. Refuses to store one unencrypted beside encrypted ones: this environment
 * then lacks the variable that the server has.
 */
export async function openCipher(store: Store, encryptionKeys: string | undefined): Promise<SecretCipher> {
  const cipher = createSecretCipher(encryptionKeys)
  if (cipher.keyId !== undefined) return cipher
  const secrets = (await store.listBots()).flatMap(bot => listSecrets(bot.id, bot))
  if (!secrets.some(isEncrypted)) return cipher
  throw new UsageError('The secrets in this database are encrypted: set NATTER_ENCRYPTION_KEYS as for its server.')
}
