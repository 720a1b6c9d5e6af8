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
  /** Whether the clients should stop. They still finish the calls that they have started. */
  isOver: () => boolean
}

const messagesPerConversation = 4

/** Runs clients that write, and record what was acknowledged, until `isOver`. */
export async function runClients(load: Load): Promise<void> {
  const clients = [writeContacts, writeContacts, upsertGroups, upsertGroups, useTokens, useTokens]
  await Promise.all([...clients, ...Array(6).fill(sendMessages)].map((client, index) => client(load, `${index}`)))
}

/** Calls once. `null` if there was no response, or a 503, after which the outcome is unknown. */
async function tryCall(
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

/** Repeats the call until there is a response. Only for idempotent calls. */
export async function callUntilAnswered(
  load: Load,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse> {
  for (;;) {
    const response = await tryCall(load, method, path, options)
    if (response) return response
  }
}

function expectStatus({ ledger }: Load, what: string, { status, data }: ApiResponse, ...expected: number[]): void {
  if (!expected.includes(status)) ledger.violations.push(`${what}: ${status} ${JSON.stringify(data)}`)
}

async function writeContacts(load: Load, client: string): Promise<void> {
  for (let count = 0; !load.isOver(); count++) {
    const contact: KnownContact = { email: `contact-${client}-${count}@example.com`, versions: [1], state: 'unknown' }
    load.ledger.contacts.push(contact)
    const json = fieldsOf(contact.email, 1)
    const created =
      count % 2
        ? await callUntilAnswered(load, 'PUT', '/contacts', { json, idempotencyKey: randomUUID() })
        : await tryCall(load, 'PUT', '/contacts', { json })
    if (!created) continue
    expectStatus(load, 'create contact', created, 201)
    contact.id = created.data['id'] ?? ''
    contact.state = 'present'
    for (let version = 2; version < 5 && !load.isOver(); version++) await updateContact(load, contact, version)
    if (randomInt(4) > 0) continue
    contact.state = 'unknown'
    if (await tryCall(load, 'DELETE', `/contacts/${contact.id}`)) contact.state = 'deleted'
  }
}

async function updateContact(load: Load, contact: KnownContact, version: number): Promise<void> {
  contact.versions.push(version)
  const { email, ...changes } = fieldsOf(contact.email, version)
  const updated = await tryCall(load, 'PATCH', `/contacts/${contact.id}`, { json: changes })
  if (updated) {
    expectStatus(load, 'update contact', updated, 200)
    contact.versions = [version]
  }
  const seen = await tryCall(load, 'GET', `/contacts/${contact.id}`)
  if (!seen) return
  expectStatus(load, `retrieve ${email}`, seen, 200)
  const { name = '', phone = '', mid = '' } = seen.data
  if (!contact.versions.includes(versionOf({ name, phone, mid })))
    load.ledger.violations.push(`${email} shows ${name}, not one of ${contact.versions}`)
}

async function upsertGroups(load: Load, client: string): Promise<void> {
  for (let count = 0; !load.isOver(); count++) {
    const emails = Array.from({ length: 40 }, (_, index) => `group-${client}-${count}-${index}@example.com`)
    const group = { emails, versions: [0] }
    load.ledger.groups.push(group)
    for (let version = 1; version < 4 && !load.isOver(); version++) {
      group.versions.push(version)
      const json = { data: emails.map(email => fieldsOf(email, version)) }
      const updated =
        version % 2
          ? await tryCall(load, 'PATCH', '/contacts', { json })
          : await callUntilAnswered(load, 'PATCH', '/contacts', { json, idempotencyKey: randomUUID() })
      if (!updated) continue
      expectStatus(load, 'upsert', updated, 200)
      group.versions = [version]
    }
  }
}

/** Creates a contact and resolves to its id. */
export async function newContact(load: Load): Promise<string> {
  const json = fieldsOf(`${randomUUID()}@example.com`, 1)
  const { data } = await callUntilAnswered(load, 'PUT', '/contacts', { json, idempotencyKey: randomUUID() })
  return data['id'] ?? ''
}

/** Creates a session: of the contact, or an anonymous one. */
export async function newSession(load: Load, contactId: string | null): Promise<KnownToken> {
  const { data } = contactId
    ? await callUntilAnswered(load, 'PUT', '/auth/contacts', { json: { id: contactId }, idempotencyKey: randomUUID() })
    : await callUntilAnswered(load, 'POST', '/widget/sessions', { token: '' })
  const token: KnownToken = { token: data['token'] ?? '', state: 'open' }
  load.ledger.tokens.push(token)
  return token
}

async function useTokens(load: Load): Promise<void> {
  while (!load.isOver()) {
    const contactId = await newContact(load)
    const json = { id: contactId }
    const hasKey = randomInt(2) === 0
    const issued = hasKey
      ? await callUntilAnswered(load, 'PUT', '/auth/contacts', { json, idempotencyKey: randomUUID() })
      : await tryCall(load, 'PUT', '/auth/contacts', { json })
    if (!issued) continue
    expectStatus(load, 'create token', issued, 201)
    const token: KnownToken = { token: issued.data['token'] ?? '', state: 'open' }
    load.ledger.tokens.push(token)
    const choice = randomInt(4)
    if (choice === 0 && hasKey) load.ledger.singleSessionContacts.push({ contactId })
    if (choice > 1) await endToken(load, token, choice === 2)
  }
}

async function endToken(load: Load, token: KnownToken, byVisitor: boolean): Promise<void> {
  token.state = 'unknown'
  const ended = byVisitor
    ? await tryCall(load, 'DELETE', '/widget/session', { token: token.token })
    : await tryCall(load, 'DELETE', `/auth/contacts/${token.token}`)
  if (!ended) return
  expectStatus(load, 'end token', ended, 204)
  token.state = 'ended'
}

/** Visitors send messages and retry each with the same id until it is acknowledged. Some pause between messages. */
async function sendMessages(load: Load): Promise<void> {
  while (!load.isOver()) {
    const token = await newSession(load, randomInt(2) ? await newContact(load) : null)
    const conversation = { messages: [] as { id: string; word: string }[] }
    load.ledger.conversations.push(conversation)
    const first = randomInt(words.length)
    for (let count = 0; count < messagesPerConversation && !load.isOver(); count++) {
      const message = { id: randomUUID(), word: words[(first + count) % words.length] ?? '' }
      const json = { id: message.id, text: message.word }
      expectStatus(
        load,
        'send message',
        await callUntilAnswered(load, 'POST', '/widget/messages', { json, token: token.token }),
        200,
        201,
      )
      conversation.messages.push(message)
      if (randomInt(2)) await pause(randomInt(300))
    }
    if (randomInt(3) === 0) await endToken(load, token, true)
  }
}
