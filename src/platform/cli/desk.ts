import { emailKey } from '../domain/emailKey.ts'
import { invitationUrl, issueInvitation, issuePasswordLink } from '../domain/members.ts'
import { ProblemError } from '../domain/problem.ts'
import { timestamp } from '../domain/time.ts'
import type { MemberRow, Organization, Store } from '../store/store.ts'
import { command, type Topic, UsageError } from './command.ts'
import { database, findOrganization, onStore } from './database.ts'
import { each, option } from './option.ts'
import { organization } from './organizations.ts'
import { json, printRows } from './rows.ts'
import { addressHint, baseUrlOption } from './scriptTag.ts'
import { handoverTimeout } from './serveOptions.ts'

const admin = option('--admin', 'An admin, who sees all bots, manages the team and reads what it has done')
const bot = option('--bot <BOT>', 'A bot whose conversations it sees; repeat it for several. Default: all').argParser(
  each(text => text),
)

/** The named organization, or the only one. */
async function chooseOrganization(store: Store, id: string | undefined): Promise<Organization> {
  if (id !== undefined) return findOrganization(store, id)
  const [only, another] = await store.listOrganizations()
  if (only && !another) return only
  throw new UsageError(
    only
      ? 'There are several organizations: name one with --organization. "natter org list" lists them.'
      : 'There is no organization yet: "natter org create" creates one.',
  )
}

async function findMember(store: Store, email: string): Promise<MemberRow> {
  const key = emailKey(email)
  const member = key === null ? null : await store.findMemberByEmail(key)
  if (!member) throw new UsageError(`Nobody at the desk has the email ${email}. "natter desk list" lists them.`)
  return member
}

export const desk: Topic = {
  name: 'desk',
  summary: 'Invites, lists and removes the people who answer at the desk, and lets them choose a new password',
  note: `The link works once, within 24 hours: whoever opens it chooses a name and a password, or signs in at your OpenID Connect
provider. Send it to nobody else.
A running server ends the sessions of a removed person within a second.`,
  commands: [
    command({
      name: 'desk invite',
      positional: '<EMAIL>',
      summary: 'Prints a link with which a person joins the desk',
      options: [admin, organization, bot, baseUrlOption, database, json],
      run: onStore(async (call, store) => {
        const { baseUrl, admin, bot = null } = call.values
        const email = call.argument
        const { id: organizationId } = await chooseOrganization(store, call.values.organization)
        const role = admin ? 'admin' : 'agent'
        const invitation = { organizationId, email, role, botIds: bot } as const
        const token = await issueInvitation(store, invitation, call.clock).catch(error => {
          throw error instanceof ProblemError ? new UsageError(messageOf(error)) : error
        })
        const url = invitationUrl(baseUrl, token)
        printRows(call, [{ email, role, url }], () => [url])
        call.stderr(addressHint(baseUrl))
      }),
    }),
    command({
      name: 'desk password',
      positional: '<EMAIL>',
      summary: 'Prints a link with which a person chooses a new password',
      options: [baseUrlOption, database, json],
      run: onStore(async (call, store) => {
        const { baseUrl } = call.values
        const member = await findMember(store, call.argument)
        const url = invitationUrl(baseUrl, await issuePasswordLink(store, member, call.clock))
        printRows(call, [{ email: member.email, url }], () => [url])
        call.stderr(addressHint(baseUrl))
      }),
    }),
    command({
      name: 'desk list',
      summary: 'Lists email, name, role, organization and bots of each',
      options: [organization, database, json],
      run: onStore(async (call, store) => {
        const { organization: id } = call.values
        const organizations = id === undefined ? await store.listOrganizations() : [await findOrganization(store, id)]
        const members = await Promise.all(organizations.map(each => store.listMembers(each.id)))
        printRows(call, members.flat(), ({ email, name, role, organizationId, botIds }) => [
          ...[email, name, role, organizationId],
          botIds?.join(' ') ?? 'all bots',
        ])
      }),
    }),
    command({
      name: 'desk remove',
      positional: '<EMAIL>',
      summary: 'Removes a person, and ends their sessions',
      options: [handoverTimeout, database],
      run: onStore(async ({ argument, values, clock, printLine }, store) => {
        const member = await findMember(store, argument)
        // Servers find the ends of the sessions in the database.
        const handover = { at: timestamp(clock.now()), timeoutMs: values.handoverTimeout * 60_000 }
        await store.removeMember(member, null, handover)
        printLine(`removed ${member.email}`)
      }),
    }),
  ],
}

const messageOf = ({ message, details }: ProblemError): string => details.errors?.[0]?.detail ?? message
