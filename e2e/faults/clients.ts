import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CallOptions, Deployment } from './deployment.ts'
import { fieldsOf, type KnownContact, type KnownToken, type Ledger, versionOf, words } from './ledger.ts'

interface ApiResponse {
  status: number
  data: Record<string, string>
}
export interface Load {
  deployment: Deployment
  ledger: Ledger
  /** Whether clients shall come to an end; what is begun is still brought to an answer. */
  isOver: () => boolean
}

const messagesEach = 4

/** Keeps writing, and writes down what was acknowledged, until it is over. */
export async function work(load: Load): Promise<void> {
  const clients = [writeContacts, writeContacts, upsertGroups, upsertGroups, useTokens, useTokens]
  await Promise.all([...clients, ...Array(6).fill(talk)].map((client, who) => client(load, `${who}`)))
}

/** One try: `null` where no answer came, or one that says that nothing is known. */
async function ask(
  { deployment, ledger }: Load,
  method: string,
  path: string,
  options?: CallOptions,
): Promise<ApiResponse | null> {
  try {
    const response = await deployment.call(method, path, options)
    const text = await response.text()
    if (response.status === 503) return null
    if (response.status >= 500) ledger.violations.push(`${method} ${path}: ${response.status} ${text}`)
    ledger.acknowledged++
    const { data = {} } = (text ? JSON.parse(text) : {}) as { data?: ApiResponse['data'] }
    return { status: response.status, data }
  } catch {
    ledger.lost++
    await pause(20)
    return null
  }
}

/** The same again until there is an answer: for what may come twice and counts once. */
export async function insist(
  load: Load,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse> {
  for (;;) {
    const answer = await ask(load, method, path, options)
    if (answer) return answer
  }
}

function expectStatus({ ledger }: Load, what: string, { status, data }: ApiResponse, ...right: number[]): void {
  if (!right.includes(status)) ledger.violations.push(`${what}: ${status} ${JSON.stringify(data)}`)
}

async function writeContacts(load: Load, who: string): Promise<void> {
  for (let count = 0; !load.isOver(); count++) {
    const contact: KnownContact = { email: `contact-${who}-${count}@example.com`, versions: [1], is: 'perhaps' }
    load.ledger.contacts.push(contact)
    const json = fieldsOf(contact.email, 1)
    const created =
      count % 2
        ? await insist(load, 'PUT', '/contacts', { json, key: randomUUID() })
        : await ask(load, 'PUT', '/contacts', { json })
    if (!created) continue
    expectStatus(load, 'create contact', created, 201)
    contact.id = created.data['id'] ?? ''
    contact.is = 'there'
    for (let version = 2; version < 5 && !load.isOver(); version++) await updateContact(load, contact, version)
    if (randomInt(4) > 0) continue
    contact.is = 'perhaps'
    if (await ask(load, 'DELETE', `/contacts/${contact.id}`)) contact.is = 'gone'
  }
}

async function updateContact(load: Load, contact: KnownContact, version: number): Promise<void> {
  contact.versions.push(version)
  const { email, ...changes } = fieldsOf(contact.email, version)
  const updated = await ask(load, 'PATCH', `/contacts/${contact.id}`, { json: changes })
  if (updated) {
    expectStatus(load, 'update contact', updated, 200)
    contact.versions = [version]
  }
  const seen = await ask(load, 'GET', `/contacts/${contact.id}`)
  if (!seen) return
  expectStatus(load, `retrieve ${email}`, seen, 200)
  const { name = '', phone = '', mid = '' } = seen.data
  if (!contact.versions.includes(versionOf({ name, phone, mid })))
    load.ledger.violations.push(`${email} shows ${name}, not one of ${contact.versions}`)
}

async function upsertGroups(load: Load, who: string): Promise<void> {
  for (let count = 0; !load.isOver(); count++) {
    const emails = Array.from({ length: 40 }, (_, index) => `group-${who}-${count}-${index}@example.com`)
    const group = { emails, versions: [0] }
    load.ledger.groups.push(group)
    for (let version = 1; version < 4 && !load.isOver(); version++) {
      group.versions.push(version)
      const json = { data: emails.map(email => fieldsOf(email, version)) }
      const answer =
        version % 2
          ? await ask(load, 'PATCH', '/contacts', { json })
          : await insist(load, 'PATCH', '/contacts', { json, key: randomUUID() })
      if (!answer) continue
      expectStatus(load, 'upsert', answer, 200)
      group.versions = [version]
    }
  }
}

/** Makes a contact; resolves to its id. */
export async function newContact(load: Load): Promise<string> {
  const json = fieldsOf(`${randomUUID()}@example.com`, 1)
  const { data } = await insist(load, 'PUT', '/contacts', { json, key: randomUUID() })
  return data['id'] ?? ''
}

/** A contact's, or an anonymous one. */
export async function newSession(load: Load, contactId: string | null): Promise<KnownToken> {
  const { data } = contactId
    ? await insist(load, 'PUT', '/auth/contacts', { json: { id: contactId }, key: randomUUID() })
    : await insist(load, 'POST', '/widget/sessions', { token: '' })
  const token: KnownToken = { token: data['token'] ?? '', is: 'open' }
  load.ledger.tokens.push(token)
  return token
}

async function useTokens(load: Load): Promise<void> {
  while (!load.isOver()) {
    const contactId = await newContact(load)
    const json = { id: contactId }
    const keyed = randomInt(2) === 0
    const issued = keyed
      ? await insist(load, 'PUT', '/auth/contacts', { json, key: randomUUID() })
      : await ask(load, 'PUT', '/auth/contacts', { json })
    if (!issued) continue
    expectStatus(load, 'create token', issued, 201)
    const token: KnownToken = { token: issued.data['token'] ?? '', is: 'open' }
    load.ledger.tokens.push(token)
    const fate = randomInt(4)
    if (fate === 0 && keyed) load.ledger.keyed.push({ contactId })
    if (fate > 1) await endToken(load, token, fate === 2)
  }
}

async function endToken(load: Load, token: KnownToken, byVisitor: boolean): Promise<void> {
  token.is = 'perhaps'
  const ended = byVisitor
    ? await ask(load, 'DELETE', '/widget/session', { token: token.token })
    : await ask(load, 'DELETE', `/auth/contacts/${token.token}`)
  if (!ended) return
  expectStatus(load, 'end token', ended, 204)
  token.is = 'ended'
}

/** A visitor asks, and asks again with the same id until there is an answer; some wait for the bot's, some don't. */
async function talk(load: Load): Promise<void> {
  while (!load.isOver()) {
    const token = await newSession(load, randomInt(2) ? await newContact(load) : null)
    const conversation = { messages: [] as { id: string; word: string }[] }
    load.ledger.conversations.push(conversation)
    const first = randomInt(words.length)
    for (let count = 0; count < messagesEach && !load.isOver(); count++) {
      const message = { id: randomUUID(), word: words[(first + count) % words.length] ?? '' }
      const json = { id: message.id, text: message.word }
      expectStatus(
        load,
        'send message',
        await insist(load, 'POST', '/widget/messages', { json, token: token.token }),
        200,
        201,
      )
      conversation.messages.push(message)
      if (randomInt(2)) await pause(randomInt(300))
    }
    if (randomInt(3) === 0) await endToken(load, token, true)
  }
}
