import { issueOrganizationToken } from '../domain/organizations.ts'
import { timestamp } from '../domain/time.ts'
import { tokenPrefixLength } from '../domain/tokens.ts'
import type { OrganizationToken } from '../store/store.ts'
import { command, type Topic, UsageError } from './command.ts'
import { database, existing, findOrganization, withStore } from './database.ts'
import { organization } from './organizations.ts'
import { json, printRows } from './rows.ts'

/** Requires the exact length: a shorter prefix could match more tokens, and a longer one is not stored. */
function readPrefix(text: string): string {
  const prefix = text.replace(/…$/, '')
  if (prefix.length === tokenPrefixLength) return prefix
  throw new UsageError(
    `Give exactly the first ${tokenPrefixLength} characters of the token, as "natter token list" shows them.`,
  )
}

/** The error if no open token starts with a prefix. It tells a revoked token from an unknown one. */
function noneOpen(known: OrganizationToken[], prefix: string): UsageError {
  const revoked = known.find(token => token.prefix === prefix)
  return new UsageError(
    revoked
      ? `The token ${prefix}… has been revoked already, at ${revoked.revokedAt}.`
      : `No token starts with ${prefix}. "natter token list" lists them.`,
  )
}

const stateOf = ({ revokedAt, dev }: Pick<OrganizationToken, 'revokedAt' | 'dev'>): string =>
  revokedAt ? `revoked ${revokedAt}` : dev ? 'open (--dev)' : 'open'

export const tokens: Topic = {
  name: 'token',
  summary: 'Create, list, revoke and rotate organization tokens',
  note: `A token is printed once: only its hash is kept. PREFIX are its first ${tokenPrefixLength} characters, as "list" shows them.
A running server refuses a revoked token from its next request on. "rotate" ends the old token at once; to change tokens
without a gap, "create" one, deploy it, then "revoke" the old one.`,
  commands: [
    command({
      name: 'token create',
      summary: 'Prints a new token',
      required: ['organization'],
      options: [organization, database, json],
      async run(call) {
        const { organization: organizationId } = call.values
        const token = await withStore(existing(call.values.database), async store => {
          const { id } = await findOrganization(store, organizationId)
          return issueOrganizationToken(store, id, call)
        })
        printRows(call, [{ organizationId, token }], () => [token])
      },
    }),
    command({
      name: 'token list',
      summary: 'Lists prefix, organization, creation, last use and state of each',
      options: [organization, database, json],
      async run(call) {
        const { organization, database } = call.values
        const all = await withStore(existing(database), store => store.listOrganizationTokens(organization))
        const shown = all.map(({ hash: _, ...token }) => token)
        printRows(call, shown, token => {
          const { prefix, organizationId, createdAt, lastUsedAt } = token
          return [`${prefix}…`, organizationId, createdAt, lastUsedAt ?? 'never used', stateOf(token)]
        })
      },
    }),
    command({
      name: 'token revoke',
      positional: '<PREFIX>',
      summary: 'Revokes a token',
      options: [database],
      async run({ argument, values, clock, printLine }) {
        const prefix = readPrefix(argument)
        const at = timestamp(clock.now())
        await withStore(existing(values.database), async store => {
          const count = await store.revokeOrganizationTokens({ prefix }, at)
          if (count === 0) throw noneOpen(await store.listOrganizationTokens(), prefix)
        })
        printLine(`revoked ${prefix}…`)
      },
    }),
    command({
      name: 'token rotate',
      positional: '<PREFIX>',
      summary: 'Prints a new token of the same organization, and revokes the old one at once',
      options: [database, json],
      async run(call) {
        const prefix = readPrefix(call.argument)
        const made = await withStore(existing(call.values.database), async store => {
          const known = await store.listOrganizationTokens()
          const old = known.find(token => token.prefix === prefix && token.revokedAt === null)
          if (!old) throw noneOpen(known, prefix)
          const { organizationId, dev } = old
          // Create the new token first: if the second step fails, the organization still has a token.
          const token = await issueOrganizationToken(store, organizationId, { dev, clock: call.clock })
          await store.revokeOrganizationTokens({ prefix }, timestamp(call.clock.now()))
          return { organizationId, token }
        })
        printRows(call, [made], ({ token }) => [token])
      },
    }),
  ],
}
