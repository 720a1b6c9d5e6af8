import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { endpoints } from '../../../contract/index.ts'
import type { PlatformOptions } from '../../platform.ts'
import { createTestTenants, type TestBot, type TestTenants } from '../testTenants.ts'
import { agentMessageId, fileId, unsentFileIds } from './bodies.ts'
import type { GeneratedRequest, Part } from './requests.ts'

type Held = Record<'bot' | 'contact' | 'contactToken' | 'visitorToken' | 'conversation' | 'organizationToken', string>

/** The test tenants on a file that can be inspected, and the current data of each bot. */
export interface FuzzTarget {
  tenants: TestTenants
  /** Fills the current ids and tokens into a generated request. */
  pathOf(generated: GeneratedRequest): string
  headersOf(generated: GeneratedRequest): [string, string][]
  /** All tokens of the tenants: none of them may appear in an error. */
  tokens(): string[]
  /** Counts of contacts, conversations, messages and sessions in the file. */
  snapshot(): string
  /** Replaces what requests have ended, and removes accumulated data. */
  restore(): Promise<void>
  /** Replaces what a successful `DELETE` has ended. */
  replaceEnded(): Promise<void>
  close(): Promise<void>
}

/** No server is there. */
const email = { smtpUrl: 'smtp://127.0.0.1:1', from: 'chat@shop.example' }

const snapshotQueries = [
  'SELECT * FROM contacts ORDER BY number',
  'SELECT count(*), coalesce(sum(last_seq), 0), coalesce(sum(read_seq), 0) FROM conversations',
  'SELECT count(*), coalesce(sum(length(text)), 0) FROM messages',
  'SELECT count(*), count(end_reason), max(expires_at) FROM sessions',
]

export async function createFuzzTarget(
  options: Pick<PlatformOptions, 'rateLimit' | 'trustedProxies'> = {},
): Promise<FuzzTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-fuzz-'))
  const file = join(folder, 'natter.db')
  const tenants = await createTestTenants({ file, log: () => {}, email, ...options })
  // Otherwise no request that needs one of them could succeed.
  const offered = { handover: true, ratings: true, attachments: true, eraseByVisitor: true }
  await tenants.store.updateBot(tenants.ours.bot.id, { ...offered, siteUrl: 'https://shop.example' })
  const db = new DatabaseSync(file, { readOnly: true })
  const statements = snapshotQueries.map(sql => db.prepare(sql))
  const testBots = { ours: tenants.ours, sibling: tenants.sibling, otherOrganization: tenants.otherOrganization }
  const held: Partial<Record<keyof typeof testBots, Held>> = {}
  const conversationOf = db.prepare('SELECT id FROM conversations WHERE contact_id = ?')

  const hold = async (testBot: TestBot, email?: string): Promise<Held> => {
    const { id } = await testBot.createContact(email === undefined ? {} : { email })
    const contactToken = await testBot.contactToken(id)
    return {
      bot: testBot.bot.id,
      contact: id,
      contactToken,
      visitorToken: await guestOf(testBot),
      conversation: String(conversationOf.get(id)?.['id']),
      organizationToken: testBot.organizationToken,
    }
  }
  /** Uploads what no message has. */
  const upload = async ({ conversation, contactToken: token }: Held): Promise<void> => {
    const ofAgent = `/conversations/${conversation}/attachments/${unsentFileIds.agent}`
    await tenants.ours.call('PUT', ofAgent, { json: 'Dear Ada' })
    await tenants.ours.call('PUT', `/widget/attachments/${unsentFileIds.contact}`, { json: 'Dear Nora', token })
  }
  const restore = async (): Promise<void> => {
    for (const testBot of [tenants.ours, tenants.sibling]) await forgetContacts(testBot)
    held.sibling = await hold(tenants.sibling)
    // One of the emails that generated requests use. An email belongs to one contact per organization.
    held.ours = await hold(tenants.ours, 'person0@fuzz.example')
    const conversation = `/conversations/${held.ours.conversation}`
    await tenants.ours.call('PUT', `${conversation}/attachments/${fileId}`, { json: 'Dear Ada' })
    const json = { id: agentMessageId, text: 'Hello', attachments: [{ id: fileId, name: 'letter.txt' }] }
    await tenants.ours.call('POST', `${conversation}/messages`, { json })
    await upload(held.ours)
  }
  const replaceEnded = async (): Promise<void> => {
    if (!held.ours || !conversationOf.get(held.ours.contact)) return restore()
    const contactToken = await tenants.ours.contactToken(held.ours.contact)
    held.ours = { ...held.ours, contactToken, visitorToken: await guestOf(tenants.ours) }
    await upload(held.ours)
  }
  held.otherOrganization = await hold(tenants.otherOrganization)
  await restore()

  const fill = (part: Part): string => ('raw' in part ? part.raw : (held[part.of]?.[part.what] ?? ''))
  let version: unknown
  let dumped = ''
  return {
    tenants,
    ...{ restore, replaceEnded },
    pathOf: ({ name, parameters, query }) =>
      endpoints[name].path.replace(/\{(\w+)\}/g, (_, key: string) => fill(parameters[key] ?? { raw: 'x' })) + query,
    headersOf: ({ headers, bearer, scheme }) => [
      ...(bearer ? [['authorization', scheme + fill(bearer)] as [string, string]] : []),
      ...headers,
    ],
    tokens: () =>
      Object.values(held).flatMap(({ contactToken, visitorToken, organizationToken }) =>
        [contactToken, visitorToken, organizationToken].map(token => token.slice(2)),
      ),
    snapshot() {
      // Changes with every commit of another connection. Without one there is nothing to compare.
      const now = db.prepare('PRAGMA data_version').get()?.['data_version']
      if (now !== version) dumped = JSON.stringify(statements.map(statement => statement.all()))
      version = now
      return dumped
    },
    async close() {
      db.close()
      await tenants.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The token of an anonymous visitor who has sent a message. */
async function guestOf(testBot: TestBot): Promise<string> {
  const token = await testBot.visitorToken()
  await testBot.send(token, 'Hello')
  return token
}

async function forgetContacts(testBot: TestBot): Promise<void> {
  for (;;) {
    const found = (await (await testBot.call('POST', '/contacts?limit=100')).json()) as { data: { id: string }[] }
    if (found.data.length === 0) return
    for (const { id } of found.data) await testBot.call('DELETE', `/contacts/${id}`)
  }
}
