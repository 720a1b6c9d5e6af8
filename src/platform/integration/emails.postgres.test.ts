import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import type { Store } from '../store/store.ts'
import { createInlineWorker } from '../testing/inlineWorker.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { type ReceivedMail, refusal, startSmtpServer, type TestSmtpServer } from '../testing/smtpServer.ts'
import { advanceUntil, createManualClock, createTestTenants, type TestTenants } from '../testing/testTenants.ts'

const server = inject('postgres')
const [second, minute] = [1000, 60_000]
const from = 'Acme <chat@acme.example>'
const engines = {
  SQLite: () => createSqliteStore({ file: ':memory:', createWorker: createInlineWorker }),
  PostgreSQL: async () => createPostgresStore({ url: await createStoreDatabase(server) }),
}

describe.each(Object.entries(engines))('emails about unread messages, on %s', (_, openStore) => {
  let smtp: TestSmtpServer
  let tenants: TestTenants
  let contact: { id: string; email: string }
  let onRcpt: (address: string) => Error | null
  let leases: number

  beforeEach(async () => {
    onRcpt = () => null
    smtp = await startSmtpServer({ onRcptTo: ({ address }, _, callback) => callback(onRcpt(address)) })
    const store = await openStore()
    const clock = createManualClock()
    // The database's clock is the test's.
    store.now = async () => clock.now()
    countLeases(store)
    tenants = await createTestTenants({ store, clock, email: { smtpUrl: smtp.url, from } })
    await store.updateBot(tenants.ours.bot.id, { siteUrl: 'https://shop.example/help?a=1', name: 'Nat' })
    contact = await tenants.ours.createContact()
  })

  const write = async (text: string, more: object = {}) => {
    const json = { id: randomUUID(), text, ...more }
    const sent = await tenants.ours.call('POST', `/contacts/${contact.id}/messages`, { json })
    expect(sent.status).toBe(201)
  }
  /** Counts leases in progress, since what they are for ends in real time. */
  function countLeases(store: Store) {
    const { leaseDeliveries, endDelivery, postponeDelivery } = store
    leases = 0
    store.leaseDeliveries = async (...args) => {
      leases++
      const leased = await leaseDeliveries(...args)
      leases += leased.length - 1
      return leased
    }
    store.endDelivery = (...args) => endDelivery(...args).finally(() => leases--)
    store.postponeDelivery = (...args) => postponeDelivery(...args).finally(() => leases--)
  }
  /** Passes time until then, but none while an email is being sent. */
  const passUntil = <Result>(awaited: Promise<Result>) =>
    advanceUntil({ advance: ms => leases === 0 && tenants.clock.advance(ms) }, 15 * second, awaited)
  const wait = (check: () => void) => passUntil(vi.waitFor(check, { timeout: 20_000, interval: 10 }))
  const arrives = (number: number) => passUntil(smtp.received(number))
  const settle = () => {
    const end = tenants.clock.now() + 60 * minute
    return wait(() => expect(tenants.clock.now()).toBeGreaterThan(end))
  }
  const page = async (mail: ReceivedMail, method: string, body?: string) => {
    const url =
      /https:\/\/natter\.test\/email\/unsubscribe\/[0-9a-f]{64}/.exec(mail.source.replace(/=\r\n/g, ''))?.[0] ?? ''
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await tenants.platform.fetch(new Request(url, { method, headers, body: body ?? null }))
    return { status: response.status, text: await response.text() }
  }

  it('tell a contact once who has written what, in plain text and HTML, with the chat and no note', async () => {
    await write('Your <b>parcel</b> is on its way', { as: { name: 'Grace & Co' } })
    const mail = await arrives(1)
    expect(mail).toMatchObject({
      recipient: contact.email,
      from: { name: 'Acme', address: 'chat@acme.example' },
      subject: 'New message from Grace & Co',
    })
    expect(mail.text).toContain('Grace & Co:\n\n    Your <b>parcel</b> is on its way')
    expect(mail.text).toContain('Open the chat: https://shop.example/help?a=1#natter')
    expect(mail.html).toContain('Your &lt;b&gt;parcel&lt;/b&gt; is on its way')
    expect(mail.html).toContain('in the chat on shop.example.')
    await settle()
    expect(smtp.mails).toHaveLength(1)
    const log = tenants.lines.join()
    expect(log).not.toContain('parcel')
    expect(log).not.toContain(contact.email)
    expect(log).not.toMatch(/unsubscribe\/[0-9a-f]/)
  })

  it('are in the language of the bot, and without texts if the bot is set so', async () => {
    await tenants.store.updateBot(tenants.ours.bot.id, { locale: 'ar', emailText: false })
    await write('a secret')
    const mail = await arrives(1)
    expect(mail.subject).toBe('رسالة جديدة من Nat')
    expect(mail.html).toContain('<html lang="ar" dir="rtl">')
    expect(mail.source + mail.text + mail.html).not.toContain('a secret')
  })

  it('do not come to whoever reads in time', async () => {
    const { ours, clock } = tenants
    const token = await ours.contactToken(contact.id)
    await write('Hello?')
    clock.advance(5 * minute)
    const read = await ours.call('POST', '/widget/read', { token, json: { seq: 1 } })
    expect(read.ok).toBe(true)
    await settle()
    expect(smtp.mails).toEqual([])
  })

  it('are sent once by several nodes, also if a node dies meanwhile, and a later message is told', async () => {
    const { addNode, store } = tenants
    for (let count = 0; count < 2; count++) addNode({ email: { smtpUrl: smtp.url, from } })
    // The first node dies after the server has taken the email, and before it has noted that.
    const { endDelivery } = store
    store.endDelivery = async () => {
      store.endDelivery = endDelivery
      leases--
      throw new Error('killed')
    }
    await write('Hello?')
    await arrives(1)
    await settle()
    expect(smtp.mails).toHaveLength(1)
    await write('Are you there?')
    await arrives(2)
  })

  it('are tried again while the server cannot take them, and withdrawn by reading', async () => {
    const { ours } = tenants
    let refused = 0
    const refuse = () => {
      refused++
      return refusal(451)
    }
    onRcpt = address => (refused < 3 && address ? refuse() : null)
    await write('Hello?')
    await arrives(1)
    expect(refused).toBe(3)
    expect(tenants.lines.join()).toContain('status 451 at RCPT TO')
    onRcpt = refuse
    await ours.call('POST', '/widget/read', { token: await ours.contactToken(contact.id), json: { seq: 1 } })
    await write('Are you there?')
    await wait(() => expect(refused).toBeGreaterThan(3))
    await ours.call('POST', '/widget/read', { token: await ours.contactToken(contact.id), json: { seq: 2 } })
    // An attempt that has begun ends.
    await wait(() => expect(leases).toBe(0))
    const before = refused
    await settle()
    expect(refused).toBe(before)
    expect(smtp.mails).toHaveLength(1)
  })

  it('end when the server refuses the address, until the contact has another one', async () => {
    const { ours, store } = tenants
    const refused: string[] = []
    onRcpt = address => (address === contact.email && refused.push(address) ? refusal(550, '5.1.1 unknown') : null)
    await write('Hello?')
    await settle()
    await write('Hello again?')
    await settle()
    expect(refused).toEqual([contact.email])
    const scope = { organizationId: ours.bot.organizationId, botId: ours.bot.id, contactId: contact.id }
    expect(await store.exportContact(scope)).toMatchObject({ emailsEnded: 'refused' })
    const email = `${randomUUID()}@example.com`
    await ours.call('PATCH', `/contacts/${contact.id}`, { json: { email } })
    await write('And now?')
    expect((await arrives(1)).recipient).toBe(email)
  })

  it('end with one click of a mail program or with the button of a page, which also takes it back', async () => {
    await write('Hello?')
    const mail = await arrives(1)
    expect(await page(mail, 'GET')).toMatchObject({ status: 200, text: expect.stringContaining('value="stop"') })
    await write('A scanner has followed the link')
    await arrives(2)
    const stopped = await page(mail, 'POST', 'List-Unsubscribe=One-Click')
    expect(stopped).toMatchObject({ status: 200, text: expect.stringContaining('value="resume"') })
    expect((await page(mail, 'GET')).text).toContain('value="resume"')
    await write('Nobody is told')
    await settle()
    expect(smtp.mails).toHaveLength(2)
    expect((await page(mail, 'POST', 'action=resume')).text).toContain('again')
    await write('Somebody is told')
    await arrives(3)
    const unknown = { ...mail, source: mail.source.replace(/unsubscribe\/[0-9a-f=\r\n]{10}/, 'unsubscribe/0123456789') }
    expect(await page(unknown, 'POST', 'List-Unsubscribe=One-Click')).toEqual({
      status: 200,
      text: expect.stringContaining('This link does not work any more.'),
    })
  })

  it('come to an anonymous visitor who has confirmed an address, until that is ended or another one is left', async () => {
    const { ours, platform, store } = tenants
    const token = await ours.visitorToken()
    await ours.send(token, 'Hello')
    const { data } = await (await ours.call('GET', '/conversations')).json()
    const [{ id }] = data
    const answer = async (text: string) => {
      const json = { id: randomUUID(), text }
      expect((await ours.call('POST', `/conversations/${id}/messages`, { json })).status).toBe(201)
    }
    const leave = (email: string) => ours.call('PUT', '/widget/session/email', { token, json: { email } })
    await leave('guest@example.com')
    const confirmation = await arrives(1)
    await answer('A secret answer')
    await settle()
    expect(smtp.mails).toHaveLength(1)
    const url = /https:\S+\/email\/confirm\/\w+/.exec(confirmation.text ?? '')?.[0] ?? ''
    await platform.fetch(new Request(url, { method: 'POST' }))
    // Of what was answered before the address was confirmed, too.
    const told = await arrives(2)
    expect([told.recipient, told.subject]).toEqual(['guest@example.com', 'New message from Nat'])
    expect(told.text).toContain('A secret answer')
    await page(told, 'POST', 'List-Unsubscribe=One-Click')
    await answer('Nobody is told')
    await settle()
    expect(smtp.mails).toHaveLength(2)
    await page(told, 'POST', 'action=resume')
    await answer('Somebody is told')
    await arrives(3)
    expect((await store.findPerson(id, ''))?.email).toEqual({ address: 'guest@example.com', isConfirmed: true })
    await leave('another@example.com')
    expect((await arrives(4)).subject).toBe(confirmation.subject)
    await answer('For nobody yet')
    await settle()
    expect(smtp.mails).toHaveLength(4)
    expect((await page(told, 'GET')).text).not.toContain('<form')
    expect(tenants.lines.join()).not.toMatch(/(?:guest|another)@example/)
  })
})
