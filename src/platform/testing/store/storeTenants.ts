import { hash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { Bot, BotScope, ContactRow, IdempotentRequest, NewMessage, NewSession, Store } from '../../store/store.ts'

/** Two organizations with two bots each. */
export interface TestTenants {
  store: Store
  ours: BotScope
  sibling: BotScope
  otherOrganization: BotScope
  otherOrganizationSibling: BotScope
}

/** The time that many seconds after the start of the tests. */
export const at = (seconds: number): string => new Date(Date.UTC(2030, 0, 1) + seconds * 1000).toISOString()

export const newHash = (): string => randomBytes(32).toString('hex')

export function newBot(organizationId: string, overrides: Partial<Bot> = {}): Bot {
  return {
    id: randomUUID(),
    organizationId,
    name: 'Nat',
    avatar: '',
    subtitle: '',
    greeting: 'Hello',
    quickReplies: ['Prices'],
    accent: '#123456',
    locale: 'en',
    images: false,
    handover: false,
    ratings: false,
    attachments: false,
    visitors: 'everyone',
    origins: ['https://example.com'],
    responder: { kind: 'faq' },
    events: null,
    limits: {},
    texts: {},
    createdAt: at(0),
    ...overrides,
  }
}

export async function createTestTenants(store: Store): Promise<TestTenants> {
  const organization = async () => {
    const organizationId = randomUUID()
    await store.createOrganization({ id: organizationId, name: 'Acme', createdAt: at(0) })
    const bots = [newBot(organizationId), newBot(organizationId)] as const
    await Promise.all(bots.map(bot => store.createBot(bot)))
    return bots.map(bot => ({ organizationId, botId: bot.id })) as [BotScope, BotScope]
  }
  const [[ours, sibling], [otherOrganization, otherOrganizationSibling]] = await Promise.all([
    organization(),
    organization(),
  ])
  return { store, ours, sibling, otherOrganization, otherOrganizationSibling }
}

export function newContact(name: string, overrides: Partial<ContactRow> = {}): ContactRow {
  const email = overrides.email ?? `${randomUUID()}@example.com`
  const times = { createdAt: at(1), updatedAt: at(1) }
  return {
    id: randomUUID(),
    name,
    email,
    emailKey: email.toLowerCase(),
    phone: '',
    mid: '',
    wid: '',
    ...times,
    ...overrides,
  }
}

export function newSession(overrides: Partial<NewSession> = {}): NewSession {
  return { hash: newHash(), conversationId: randomUUID(), createdAt: at(2), expiresAt: at(1000), ...overrides }
}

export function newMessage(text: string, overrides: Partial<NewMessage> = {}): NewMessage {
  return { id: randomUUID(), author: 'visitor', text, format: 'plain', createdAt: at(3), ...overrides }
}

/** A contact with an open session, as most tests of conversations need it. */
export async function signIn(store: Store, scope: BotScope, name = 'Ada') {
  const { emailKey: _, ...contact } = newContact(name)
  await store.createContact(scope, { ...contact, emailKey: contact.email })
  const session = newSession()
  await store.createContactSession(scope, { contactId: contact.id }, session)
  return { contact, scope: { ...scope, contactId: contact.id }, ...session }
}

/** A request of a key of its own, whose repetition is known for a hundred seconds. */
export function newRequest(given: Partial<IdempotentRequest> = {}): IdempotentRequest {
  return { keyHash: newHash(), bodyHash: 'body', attempt: 0, at: at(2), expiresAt: at(102), ...given }
}

/** A store for all tests of a block, each of which creates its own tenants. */
export function useStore(open: () => Promise<Store>): () => Promise<TestTenants> {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  return () => createTestTenants(store)
}

/** A shuffled order that is the same for the same seed. */
export const shuffled = <Item>(items: Item[], seed: number): Item[] =>
  items
    .map((item, index) => ({ item, at: hash('sha1', `${seed} ${index}`) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ item }) => item)
