import { hash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { type Hours, weekdays } from '../../../contract/index.ts'
import { defaultStoreLimits, type StoreLimits } from '../../store/database.ts'
import type {
  Bot,
  BotScope,
  ContactRow,
  ConversationKey,
  IdempotentRequest,
  InvitationRow,
  NewMessage,
  NewMessageWithFiles,
  NewSession,
  NewVisitorMessage,
  OrganizationToken,
  Store,
} from '../../store/store.ts'

/** Limits that a test reaches with few rows. */
export const smallLimits: StoreLimits = {
  ...defaultStoreLimits,
  ...{ maxCounted: 100, step: 4, rowsPerErasure: 20, noticesPerStep: 10, messagesPerSearch: 5, contactsPerSearch: 3 },
}

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

/** The team is there from ten minutes after the start of the tests on. */
export const hoursLater: Hours = {
  timeZone: 'UTC',
  week: Object.fromEntries(weekdays.map(day => [day, '00:10-02:00'])),
  holidays: [],
}

/** A member of the team, without its bots all of the organization's, and an open session. */
export async function joinDesk(
  store: Store,
  organizationId: string,
  more: Partial<Pick<InvitationRow, 'email' | 'role' | 'botIds'>> & { name?: string } = {},
) {
  const { name = 'Nora', ...overrides } = more
  const invitation = newInvitation(organizationId, overrides)
  await store.createInvitation('invited', invitation, null)
  const id = randomUUID()
  const session = { hash: newHash(), createdAt: at(2), expiresAt: at(1000) }
  const member = { id, name, passwordHash: 'a hash', createdAt: at(2) }
  const result = await store.acceptInvitation(invitation.hash, member, session)
  if (result !== 'accepted') throw new Error(result)
  return { id, organizationId, name, email: invitation.email, session: { ...session, memberId: id } }
}

export function newInvitation(organizationId: string, overrides: Partial<InvitationRow> = {}): InvitationRow {
  const email = overrides.email ?? `${randomUUID()}@shop.example`
  return {
    ...{ hash: newHash(), organizationId, email, emailKey: email.toLowerCase(), role: 'agent', botIds: null },
    ...{ createdAt: at(1), expiresAt: at(100) },
    ...overrides,
  }
}

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
    eraseByVisitor: false,
    visitors: 'everyone',
    hours: null,
    answersWhileWaiting: 'closed',
    origins: ['https://example.com'],
    responder: { kind: 'faq' },
    events: null,
    limits: {},
    siteUrl: '',
    emailText: true,
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

export function newToken(organizationId: string, overrides: Partial<OrganizationToken> = {}): OrganizationToken {
  const hash = newHash()
  const times = { createdAt: at(1), lastUsedAt: null, revokedAt: null }
  return { hash, prefix: `o_${hash.slice(0, 6)}`, organizationId, dev: false, ...times, ...overrides }
}

export function newContact(name: string, overrides: Partial<ContactRow> = {}): ContactRow {
  const email = overrides.email ?? `${randomUUID()}@example.com`
  const empty = { phone: '', mid: '', wid: '', createdAt: at(1), updatedAt: at(1) }
  return { id: randomUUID(), name, email, emailKey: email.toLowerCase(), ...empty, ...overrides }
}

export const toContact = ({ emailKey: _, ...contact }: ContactRow) => contact

export function newSession(overrides: Partial<NewSession> = {}): NewSession {
  return { hash: newHash(), conversationId: randomUUID(), createdAt: at(2), expiresAt: at(1000), ...overrides }
}

export function newMessage(text: string, overrides: Partial<NewMessage> = {}): NewMessage {
  return { id: randomUUID(), author: 'visitor', text, format: 'plain', createdAt: at(3), ...overrides }
}

/** A message of an agent. */
export const newAnswer = (text = 'May I help?', overrides: Partial<NewMessageWithFiles> = {}): NewMessageWithFiles =>
  newMessage(text, { author: 'agent', ...overrides })

/** A request of a key of its own, whose repetition is known for a hundred seconds. */
export function newRequest(given: Partial<IdempotentRequest> = {}): IdempotentRequest {
  return { keyHash: newHash(), bodyHash: 'body', attempt: 0, at: at(2), expiresAt: at(102), ...given }
}

/** Stores a message of an agent, which silences the responder until the given time. */
export const sendAsAgent = (
  store: Store,
  scope: BotScope,
  which: ConversationKey,
  message = newAnswer(),
  pausedUntil: string | null = null,
  request?: IdempotentRequest,
) => store.appendAgentMessage(scope, { ...which, newConversationId: randomUUID() }, message, pausedUntil, request)

/** What the visitor of a session and an agent do in its conversation. */
const talkIn = (store: Store, scope: BotScope, session: NewSession) => ({
  ...session,
  send: (text = 'hello', more: Partial<NewVisitorMessage> = {}) =>
    store.appendVisitorMessage(session.hash, { ...newMessage(text), ...more }),
  answer: (message?: NewMessageWithFiles, pausedUntil?: string | null, request?: IdempotentRequest) =>
    sendAsAgent(store, scope, { conversationId: session.conversationId }, message, pausedUntil, request),
  messages: () => store.listMessages(session.conversationId, { limit: 999 }),
  /** The texts of the messages; of an event, its name. */
  said: async () =>
    (await store.listMessages(session.conversationId, { limit: 999 })).map(({ event, text }) => event ?? text),
  found: () => store.findConversation(session.conversationId),
  /** The turn of the conversation, if it is due. Leases all turns of the store, until the same moment. */
  dueTurns: async (now: string) =>
    (await store.leaseTurns(randomUUID(), now, now, 1000)).filter(
      turn => turn.conversationId === session.conversationId,
    ),
})

/** A contact with an open session. */
export async function signIn(store: Store, scope: BotScope, name = 'Ada') {
  const contact = newContact(name)
  await store.createContact(scope, contact)
  const session = newSession()
  await store.createContactSession(scope, { contactId: contact.id }, session)
  const contactScope = { ...scope, contactId: contact.id }
  return { contact: toContact(contact), scope: contactScope, ...talkIn(store, scope, session) }
}

/** An anonymous visitor. */
export async function visit(store: Store, scope: BotScope, overrides: Partial<NewSession> = {}) {
  const session = newSession(overrides)
  await store.createVisitorSession(scope.botId, session)
  return talkIn(store, scope, session)
}

export const collectEvents = (store: Store, { botId }: BotScope, authors: { authors?: 'all' } = {}) =>
  store.updateBot(botId, { events: { url: 'https://example.com/events', secret: 'whsec_a', ...authors } })

/** The events of a bot that wait to be delivered. Leases all of the store, until the same moment. */
export async function waitingEvents(store: Store, { botId }: BotScope, now = at(1e9)) {
  const leased = await store.leaseDeliveries('me', now, now, { all: 1e4, perQueue: 1e4, except: [], emails: true })
  return leased.map(({ event }) => event).filter(event => event.botId === botId)
}

/** The events that have waited to be delivered, and wait no longer. */
export async function takeEvents(store: Store, scope: BotScope) {
  const events = await waitingEvents(store, scope)
  for (const { id } of events) await store.endDelivery(id, 'me')
  return events
}

/** Tests that share a store. Each has tenants of its own, and those people that it names, who talk to the bot of `ours`. */
export function storeTests(open: () => Promise<Store>) {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  return (
    test
      .extend('tenants', () => createTestTenants(store))
      .extend('store', ({ tenants }) => tenants.store)
      .extend('ours', ({ tenants }) => tenants.ours)
      .extend('sibling', ({ tenants }) => tenants.sibling)
      .extend('otherOrganization', ({ tenants }) => tenants.otherOrganization)
      /** Our bot, as if it were one of the other organization. */
      .extend('mismatched', ({ ours, otherOrganization }) => ({ ...otherOrganization, botId: ours.botId }))
      .extend('foreignScopes', ({ sibling, otherOrganization, mismatched }) => [sibling, otherOrganization, mismatched])
      .extend('ada', ({ store, ours }) => signIn(store, ours))
      .extend('grace', ({ store, ours }) => signIn(store, ours, 'Grace'))
      .extend('visitor', ({ store, ours }) => visit(store, ours))
  )
}

/** A shuffled order that is the same for the same seed. */
export const shuffled = <Item>(items: Item[], seed: number): Item[] =>
  items
    .map((item, index) => ({ item, at: hash('sha1', `${seed} ${index}`) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ item }) => item)
