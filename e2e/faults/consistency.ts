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

/** Waits until nothing is left to be answered, told and indexed. */
export async function waitUntilIdle(database: string): Promise<void> {
  if (isPostgres(database)) {
    const left = 'SELECT 1 FROM turns UNION ALL SELECT 1 FROM deliveries'
    while ((await execute(database, left)).length > 0) await pause(100)
    return
  }
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
  const left = db.prepare(
    'SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM deliveries) + (SELECT count(*) FROM search_index_queue) AS count',
  )
  while (Number(left.get()?.['count']) > 0) await pause(100)
  db.close()
}

/** What is wrong with what the platform and its file hold, compared with what clients know; the first of it. */
export async function findInconsistencies(deployment: Deployment, ledger: Ledger): Promise<string[]> {
  const problems = [...ledger.violations]
  const { database } = deployment
  problems.push(...(isPostgres(database) ? await checkPostgres(database, ledger) : checkFile(database, ledger)))
  const contacts = await allContacts(deployment)
  problems.push(...checkContacts(contacts, ledger))
  problems.push(...(await checkSearch(deployment, contacts)))
  const conversations = await allMessages(deployment)
  problems.push(...checkConversations(conversations, ledger))
  ledger.apologies = conversations.flat().filter(({ author }) => author === 'system').length
  const printed = new Set(deployment.output().match(/[0-9a-f]{64}/g))
  for (const { token, is } of ledger.tokens) {
    if (printed.has(token.slice(2))) problems.push('A token stands in the log')
    const { status } = await deployment.call('GET', '/widget/session', { token })
    if ((is === 'open' && status !== 200) || (is === 'ended' && status !== 401))
      problems.push(`A token that is known as ${is} is answered with ${status}`)
  }
  return problems.length > 20 ? [`${problems.length} in all`, ...problems.slice(0, 20)] : problems
}

function checkFile(database: string, { keyed }: Ledger): string[] {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5000 })
  const problems: string[] = []
  const same = (what: string, sql: string, expected: unknown, ...values: string[]): void => {
    const found = Object.values(db.prepare(sql).get(...values) ?? {})[0]
    if (found !== expected) problems.push(`${what}: ${found}, not ${expected}`)
  }
  same('integrity', 'PRAGMA integrity_check', 'ok')
  same('foreign keys', 'SELECT count(*) FROM pragma_foreign_key_check', 0)
  const total = db.prepare('SELECT count(*) AS count FROM contacts').get()?.['count']
  same('contacts in the search index', 'SELECT count(*) FROM contact_search', total)
  same('contacts counted', 'SELECT sum(contact_count) FROM bots', total)
  for (const { contactId } of keyed)
    same(
      'open sessions of one key',
      'SELECT count(*) FROM sessions WHERE contact_id = ? AND ended_at IS NULL',
      1,
      contactId,
    )
  db.close()
  return problems
}

async function checkPostgres(database: string, { keyed }: Ledger): Promise<string[]> {
  const open = await execute(
    database,
    `SELECT contact_id AS id, count(*)::int AS count FROM sessions WHERE ended_at IS NULL GROUP BY contact_id`,
  )
  const counts = new Map(open.map(({ id, count }) => [id, count]))
  return keyed.flatMap(({ contactId }) =>
    counts.get(contactId) === 1 ? [] : [`open sessions of one key: ${counts.get(contactId)}, not 1`],
  )
}

/** The JSON of a success; fails with the whole answer where it is none. */
async function bodyOf<Body>(answer: Promise<Response>): Promise<Body> {
  const response = await answer
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as Body
}

async function allContacts({ call }: Deployment): Promise<Contact[]> {
  const contacts: Contact[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await bodyOf<{ data: Contact[]; pagination: { totalPages: number } }>(
      call('POST', `/contacts?limit=100&page=${page}`),
    )
    contacts.push(...data)
    if (page >= pagination.totalPages) return contacts
  }
}

/** Finds contacts by the index, which is kept apart from them: the newest and some others. */
async function checkSearch({ call }: Deployment, contacts: Contact[]): Promise<string[]> {
  const problems: string[] = []
  const every = Math.ceil(contacts.length / 100)
  for (const { id, email } of contacts.filter((_, index) => index < 100 || index % every === 0)) {
    const { data } = await bodyOf<{ data: Contact[] }>(call('POST', `/contacts?query=${encodeURIComponent(email)}`))
    if (data.length !== 1 || data[0]?.id !== id) problems.push(`A search for ${email} finds ${data.length}`)
  }
  return problems
}

function checkContacts(contacts: Contact[], { contacts: known, groups }: Ledger): string[] {
  const problems: string[] = []
  const byEmail = new Map(contacts.map(contact => [contact.email, contact]))
  if (byEmail.size !== contacts.length) problems.push('An email is there twice')
  for (const contact of contacts)
    if (Number.isNaN(versionOf(contact))) problems.push(`${contact.email} is half written: ${JSON.stringify(contact)}`)
  for (const { email, id, versions, is } of known) {
    const found = byEmail.get(email)
    if (!found && is === 'there') problems.push(`${email} is lost`)
    if (found && is === 'gone') problems.push(`${email} is back`)
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

/** All messages of a conversation in their order. */
async function readConversation(call: Deployment['call'], id: string): Promise<Message[]> {
  const messages: Message[] = []
  for (;;) {
    const before = messages[0] ? `&before=${messages[0].seq}` : ''
    const { data } = await bodyOf<{ data: Message[] }>(call('GET', `/conversations/${id}/messages?limit=100${before}`))
    messages.unshift(...data)
    if (data.length < 100) return messages
  }
}

/** Each conversation's. */
export async function allMessages({ call }: Deployment): Promise<Message[][]> {
  const all: Message[][] = []
  for (let after = ''; ; ) {
    const { data, next } = await bodyOf<{ data: { id: string }[]; next: string | null }>(
      call('GET', `/conversations?limit=100${after && `&after=${encodeURIComponent(after)}`}`),
    )
    for (const { id } of data) all.push(await readConversation(call, id))
    if (next === null) return all
    after = next
  }
}

function checkConversations(all: Message[][], { conversations, told }: Ledger): string[] {
  const problems: string[] = []
  const byMessage = new Map<string, Message[]>()
  for (const messages of all) {
    if (messages.some(({ seq }, index) => seq !== index + 1)) problems.push('A conversation has a gap')
    for (const { id } of messages) {
      if (byMessage.has(id)) problems.push(`Message ${id} is there twice`)
      byMessage.set(id, messages)
    }
  }
  for (const known of conversations) {
    problems.push(...checkConversation(byMessage.get(known.messages[0]?.id ?? '') ?? [], known))
    for (const { id } of known.messages) if (!told.has(id)) problems.push(`The webhook was never told of message ${id}`)
  }
  return problems
}

/**
 * Each message once, in the order in which it was sent, and the one answer to it after it. A turn that has been killed
 * three times over is given up with an apology: that is the one answer then.
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
