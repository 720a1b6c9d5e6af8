import { issueOrganizationToken } from '../domain/organizations.ts'
import { timestamp } from '../domain/time.ts'
import { tokenPrefixLength } from '../domain/tokens.ts'
import type { OrganizationToken, Store } from '../store/store.ts'
import { command, type Topic, UsageError } from './command.ts'
import { database, findOrganization, onStore } from './database.ts'
import { required } from './option.ts'
import { organization } from './organizations.ts'
import { json, printRows } from './rows.ts'

/** Finds a token that is not revoked by its first characters. */
async function findOpenToken(store: Store, argument: string): Promise<OrganizationToken> {
  const prefix = argument.replace(/…$/, '')
  // A shorter prefix could match more tokens, and a longer one is not stored.
  if (prefix.length !== tokenPrefixLength)
    throw new UsageError(
      `Give exactly the first ${tokenPrefixLength} characters of the token, as "natter token list" shows them.`,
    )
  const known = (await store.listOrganizationTokens()).filter(token => token.prefix === prefix)
  const open = known.find(token => token.revokedAt === null)
  if (open) return open
  throw new UsageError(
    known[0]
      ? `The token ${prefix}… has been revoked already, at ${known[0].revokedAt}.`
      : `No token starts with ${prefix}. "natter token list" lists them.`,
  )
}

const stateOf = ({ revokedAt, dev }: Pick<OrganizationToken, 'revokedAt' | 'dev'>): string =>
  revokedAt ? `revoked ${revokedAt}` : dev ? 'open (--dev)' : 'open'

export const tokens: Topic = {
  name: 'token',
  summary: 'Creates, lists and revokes organization tokens',
  note: `A token is printed once: only its hash is kept. PREFIX are its first ${tokenPrefixLength} characters, as "list" shows them.
A running server refuses a revoked token from its next request on. To change tokens without a gap, "create" one, deploy
it, then "revoke" the old one.`,
  commands: [
    command({
      name: 'token create',
      summary: 'Prints a new token',
      options: [required(organization), database, json],
      run: onStore(async (call, store) => {
        const { organization: organizationId } = call.values
        await findOrganization(store, organizationId)
        const token = await issueOrganizationToken(store, organizationId, call)
        printRows(call, [{ organizationId, token }], () => [token])
      }),
    }),
    command({
      name: 'token list',
      summary: 'Lists prefix, organization, creation, last use and state of each',
      options: [organization, database, json],
      run: onStore(async (call, store) => {
        const all = await store.listOrganizationTokens(call.values.organization)
        const shown = all.map(({ hash: _, ...token }) => token)
        printRows(call, shown, token => {
          const { prefix, organizationId, createdAt, lastUsedAt } = token
          return [`${prefix}…`, organizationId, createdAt, lastUsedAt ?? 'never used', stateOf(token)]
        })
      }),
    }),
    command({
      name: 'token revoke',
      positional: '<PREFIX>',
      summary: 'Revokes a token',
      options: [database],
      run: onStore(async ({ argument, clock, printLine }, store) => {
        const { prefix } = await findOpenToken(store, argument)
        await store.revokeOrganizationTokens({ prefix }, timestamp(clock.now()))
        printLine(`revoked ${prefix}…`)
      }),
    }),
  ],
}
