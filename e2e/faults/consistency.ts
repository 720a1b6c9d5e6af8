import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { isPostgres } from '../../src/platform/store/postgres/address.ts'
import { execute } from '../../src/platform/testing/postgresServer.ts'
import type { Deployment } from './deployment.ts'
import { answerTo, type KnownConversation, type Ledger, versionOf } from './ledger.ts'

interface Contact {
  id: string
  email: string
  name: string
  phone: string
  mid: string
}
export interface Message {
  id: string
  seq: number
  author: string
  text: string
}

/** Waits until all turns and webhook deliveries are done. */
export async function waitUntilIdle(database: string): Promise<void> {
  if (isPostgres(database)) {
    const pending = 'SELECT 1 FROM turns UNION ALL SELECT 1 FROM deliveries'
    while ((await execute(database, pending)).length > 0) await pause(100)
    return
  }
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
  const pending = db.prepare('SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM deliveries) AS count')
  while (Number(pending.get()?.['count']) > 0) await pause(100)
  db.close()
}

/**
 * Makes due what killed servers had leased, so that the next one takes it over at once and not after 30 s. Nothing may
 * serve the database meanwhile.
 */
export async function expireLeases(database: string): Promise<void> {
  const expire = `UPDATE turns SET lease_until = ''; UPDATE deliveries SET due_at = created_at WHERE owner IS NOT NULL`
  if (isPostgres(database)) return void (await execute(database, expire))
  const db = new DatabaseSync(database, { timeout: 5000 })
  db.exec(expire)
  db.close()
}

/** Compares the platform's data with what the clients know. Returns descriptions of the first differences. */
export async function findInconsistencies(deployment: Deployment, ledger: Ledger): Promise<string[]> {
  const problems = [...ledger.violations]
  const { database } = deployment
  problems.push(...(isPostgres(database) ? await checkPostgres(database, ledger) : checkFile(database, ledger)))
  const contacts = await allContacts(deployment)
  problems.push(...checkContacts(contacts, ledger))
  problems.push(...(await checkSearch(deployment, contacts)))
  const conversations = await allMessages(deployment)
  problems.push(...checkConversations(conversations, ledger))
  ledger.abandonedTurns = conversations.flat().filter(({ author }) => author === 'system').length
  const printed = new Set(deployment.output().match(/[0-9a-f]{64}/g))
  for (const { token, state } of ledger.tokens) {
    if (printed.has(token.slice(2))) problems.push('A token is in the log')
    const { status } = await callUntilAvailable(deployment.call, 'GET', '/widget/session', { token })
    if ((state === 'open' && status !== 200) || (state === 'ended' && status !== 401))
      problems.push(`A token that should be ${state} is answered with ${status}`)
  }
  return problems.length > 20 ? [`${problems.length} in total`, ...problems.slice(0, 20)] : problems
}

function checkFile(database: string, { singleSessionContacts }: Ledger): string[] {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
  const problems: string[] = []
  const expectValue = (what: string, sql: string, expected: unknown, ...values: string[]): void => {
    const found = Object.values(db.prepare(sql).get(...values) ?? {})[0]
    if (found !== expected) problems.push(`${what}: ${found}, not ${expected}`)
  }
  expectValue('integrity', 'PRAGMA integrity_check', 'ok')
  expectValue('foreign keys', 'SELECT count(*) FROM pragma_foreign_key_check', 0)
  const total = db.prepare('SELECT count(*) AS count FROM contacts').get()?.['count']
  expectValue('contacts in the search index', 'SELECT count(*) FROM contact_search', total)
  expectValue('contacts counted', 'SELECT sum(contacts) FROM contact_counts', total)
  for (const { contactId } of singleSessionContacts)
    expectValue(
      'open sessions for one idempotency key',
      'SELECT count(*) FROM sessions WHERE contact_id = ? AND ended_at IS NULL',
      1,
      contactId,
    )
  db.close()
  return problems
}

async function checkPostgres(database: string, { singleSessionContacts }: Ledger): Promise<string[]> {
  const open = await execute(
    database,
    `SELECT contact_id AS id, count(*)::int AS count FROM sessions WHERE ended_at IS NULL GROUP BY contact_id`,
  )
  const counts = new Map(open.map(({ id, count }) => [id, count]))
  return singleSessionContacts.flatMap(({ contactId }) =>
    counts.get(contactId) === 1 ? [] : [`open sessions for one idempotency key: ${counts.get(contactId)}, not 1`],
  )
}

/** Calls until the server is available: just after a fault, or on a busy machine, it may say that it is not. */
async function callUntilAvailable(
  call: Deployment['call'],
  ...request: Parameters<Deployment['call']>
): Promise<Response> {
  for (;;) {
    const response = await call(...request)
    if (response.status !== 503) return response
    await response.body?.cancel()
    await pause(100)
  }
}

/** The JSON of a successful response. Throws with the whole response otherwise. */
async function readBody<Body>(call: Deployment['call'], method: string, path: string): Promise<Body> {
  const response = await callUntilAvailable(call, method, path)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as Body
}

async function allContacts({ call }: Deployment): Promise<Contact[]> {
  const contacts: Contact[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await readBody<{ data: Contact[]; pagination: { totalPages: number } }>(
      call,
      'POST',
      `/contacts?limit=100&page=${page}`,
    )
    contacts.push(...data)
    if (page >= pagination.totalPages) return contacts
  }
}

/** Searches for the newest contacts and some others. */
async function checkSearch({ call }: Deployment, contacts: Contact[]): Promise<string[]> {
  const problems: string[] = []
  const every = Math.ceil(contacts.length / 100)
  for (const { id, email } of contacts.filter((_, index) => index < 100 || index % every === 0)) {
    const { data } = await readBody<{ data: Contact[] }>(call, 'POST', `/contacts?query=${encodeURIComponent(email)}`)
    if (data.length !== 1 || data[0]?.id !== id) problems.push(`A search for ${email} finds ${data.length}`)
  }
  return problems
}

function checkContacts(contacts: Contact[], { contacts: known, groups }: Ledger): string[] {
  const problems: string[] = []
  const byEmail = new Map(contacts.map(contact => [contact.email, contact]))
  if (byEmail.size !== contacts.length) problems.push('An email exists twice')
  for (const contact of contacts)
    if (Number.isNaN(versionOf(contact)))
      problems.push(`${contact.email} is partially written: ${JSON.stringify(contact)}`)
  for (const { email, id, versions, state } of known) {
    const found = byEmail.get(email)
    if (!found && state === 'present') problems.push(`${email} is lost`)
    if (found && state === 'deleted') problems.push(`${email} was deleted but exists`)
    if (!found) continue
    if (id !== undefined && found.id !== id) problems.push(`${email} has another id`)
    if (!versions.includes(versionOf(found))) problems.push(`${email} shows ${found.name}, not one of ${versions}`)
  }
  for (const { emails, versions } of groups) {
    const shown = new Set(
      emails.map(email => versionOf(byEmail.get(email) ?? { name: 'Version 0', phone: '0', mid: 'v0' })),
    )
    const [version = Number.NaN] = shown
    if (shown.size !== 1 || !versions.includes(version))
      problems.push(`${emails[0]} and its group show ${[...shown]}, not one of ${versions}`)
  }
  return problems
}

/** All messages of a conversation, in order. */
async function readConversation(call: Deployment['call'], id: string): Promise<Message[]> {
  const messages: Message[] = []
  for (;;) {
    const before = messages[0] ? `&before=${messages[0].seq}` : ''
    const { data } = await readBody<{ data: Message[] }>(
      call,
      'GET',
      `/conversations/${id}/messages?limit=100${before}`,
    )
    messages.unshift(...data)
    if (data.length < 100) return messages
  }
}

/** The messages of every conversation. */
export async function allMessages({ call }: Deployment): Promise<Message[][]> {
  const all: Message[][] = []
  for (let after = ''; ; ) {
    const { data, next } = await readBody<{ data: { id: string }[]; next: string | null }>(
      call,
      'GET',
      `/conversations?limit=100${after && `&after=${encodeURIComponent(after)}`}`,
    )
    for (const { id } of data) all.push(await readConversation(call, id))
    if (next === null) return all
    after = next
  }
}

function checkConversations(all: Message[][], { conversations, webhookMessageIds }: Ledger): string[] {
  const problems: string[] = []
  const byMessage = new Map<string, Message[]>()
  for (const messages of all) {
    if (messages.some(({ seq }, index) => seq !== index + 1)) problems.push('A conversation has a gap')
    for (const { id } of messages) {
      if (byMessage.has(id)) problems.push(`Message ${id} exists twice`)
      byMessage.set(id, messages)
    }
  }
  for (const known of conversations) {
    problems.push(...checkConversation(byMessage.get(known.messages[0]?.id ?? '') ?? [], known))
    for (const { id } of known.messages)
      if (!webhookMessageIds.has(id)) problems.push(`The webhook never received message ${id}`)
  }
  return problems
}

/**
 * Each message must exist once, in the order in which it was sent, followed by exactly one reply. A turn whose process
 * was killed three times is given up with an apology, which then counts as the reply.
 */
function checkConversation(messages: Message[], known: KnownConversation): string[] {
  const shown = messages.filter(({ author }) => author === 'visitor').map(({ id, text }) => `${id} ${text}`)
  const sent = known.messages.map(({ id, word }) => `${id} ${word}`)
  if (shown.join('\n') !== sent.join('\n')) return [`Sent:\n${sent.join('\n')}\nstored:\n${shown.join('\n')}`]
  return known.messages.flatMap(({ id, word }) => {
    const { seq = 0 } = messages.find(message => message.id === id) ?? {}
    const answers = messages.filter(({ author, text }) => author === 'bot' && text.includes(answerTo(word)))
    const isApologized = messages.some(message => message.author === 'system' && message.seq > seq)
    if (answers.length === 0 && isApologized) return []
    const isRight = answers.length === 1 && (answers[0]?.seq ?? 0) > seq
    const shown = messages.map(({ author, text }) => `${author}: ${text}`).join(' | ')
    return isRight ? [] : [`"${word}" (${seq}) is answered ${answers.length} times: ${shown}`]
  })
}
