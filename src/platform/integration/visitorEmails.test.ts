import { expect, it } from 'vitest'
import { startSmtpServer, type TestSmtpServer } from '../testing/smtpServer.ts'
import { createTestTenants, deskOrigin, type TestTenants } from '../testing/testTenants.ts'

const from = 'Shop <chat@shop.example>'
const siteUrl = 'https://shop.example/help'

const linkEnded = 'This link does not work any more.'

/** A platform that sends emails for our bot. */
async function setUp(options: Parameters<typeof createTestTenants>[0] = {}) {
  const smtp = await startSmtpServer()
  const tenants = await createTestTenants({ email: { smtpUrl: smtp.url, from }, ...options })
  await tenants.store.updateBot(tenants.ours.bot.id, { siteUrl })
  return { smtp, ...tenants }
}

const leave = async ({ ours }: TestTenants, token: string, email: string, locale = 'en') =>
  (await ours.call('PUT', '/widget/session/email', { token, json: { email, locale } })).status

/** The address of the page to which the mail with that number leads. */
const linkOf = async (smtp: TestSmtpServer, number: number) =>
  /https:\S+\/email\/confirm\/\w+/.exec((await smtp.received(number)).text ?? '')?.[0] ?? ''

const open = async ({ platform }: TestTenants, url: string, method = 'GET') => {
  const response = await platform.fetch(new Request(url, { method }))
  return { status: response.status, headers: response.headers, page: await response.text() }
}

it('the owner of an address confirms it by the button of a page, and no text goes there before', async () => {
  const tenants = await setUp()
  const { smtp, ours, lines } = tenants
  const token = await ours.visitorToken()
  await ours.send(token, 'My secret question')
  expect(await leave(tenants, token, 'Ada@Example.com', 'de')).toBe(204)
  const { recipient, subject, source, html } = await smtp.received(1)
  expect([recipient, subject]).toEqual(['Ada@example.com', 'Bitte bestätigen Sie Ihre E-Mail-Adresse'])
  for (const text of ['My secret question', token]) expect(source + html).not.toContain(text)

  const url = await linkOf(smtp, 1)
  expect(url.startsWith(`${deskOrigin}/email/confirm/`)).toBe(true)
  // Programs that check mails follow their links, as often as they like.
  for (const _ of ['scanner', 'reader']) {
    const { status, page, headers } = await open(tenants, url)
    expect(status).toBe(200)
    expect(page).toContain('<html lang="de"')
    expect(page).toContain('<form method="post"')
    expect(page).not.toContain('<script')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  }
  const isConfirmed = async () => {
    const [{ id } = { id: '' }] = await listConversations(tenants)
    return (await tenants.store.findPerson(id, ''))?.email?.isConfirmed
  }
  expect(await isConfirmed()).toBe(false)
  const done = await open(tenants, url, 'POST')
  expect(done.page).toContain('Fertig. Antworten erreichen Sie hier.')
  // No token opens the conversation: the browser that has it shows it there.
  expect(/href="([^"]*)"/.exec(done.page)?.[1]).toBe(`${siteUrl}#natter`)
  expect(await isConfirmed()).toBe(true)
  for (const method of ['GET', 'POST']) expect((await open(tenants, url, method)).page).toContain(linkEnded)
  // Neither the link nor the address is in the log.
  expect(lines.join('')).not.toMatch(new RegExp(`${url.split('/').at(-1)}|example\\.com`, 'i'))
})

it('a link works for 24 hours, and nobody gets a second one', async () => {
  const tenants = await setUp()
  const { smtp, ours, clock } = tenants
  const [token, other] = [await ours.visitorToken(), await ours.visitorToken()]
  for (const each of [token, other]) await ours.send(each, 'Hello')
  for (const [who, email] of [
    [token, 'ada@example.com'],
    [token, 'ADA@example.com'],
    [other, 'ada@example.com'],
    [other, 'grace@example.com'],
  ] as const)
    expect(await leave(tenants, who, email)).toBe(204)
  const mails = [await smtp.received(1), await smtp.received(2)]
  expect(mails.map(({ recipient }) => recipient.toLowerCase()).sort()).toEqual(['ada@example.com', 'grace@example.com'])
  clock.advance(24 * 60 * 60_000)
  for (const number of [1, 2])
    expect((await open(tenants, await linkOf(smtp, number), 'POST')).page).toContain(linkEnded)
  expect(smtp.mails).toHaveLength(2)
})

it('few addresses are taken from a client at a time', async () => {
  const { ours } = await setUp({ rateLimit: 1000 })
  const statuses = []
  for (let number = 1; number <= 11; number++) {
    const json = { email: `${number}@example.com` }
    const token = await ours.visitorToken()
    await ours.send(token, 'Hello')
    const response = await ours.call('PUT', '/widget/session/email', { token, json, address: '198.51.100.7' })
    statuses.push(response.status)
  }
  expect(statuses).toEqual([...Array(10).fill(204), 429])
})

it('is offered only where emails are sent, and not to contacts', async () => {
  const tenants = await setUp()
  const { ours, sibling } = tenants
  const offers = async (bot: typeof ours) => (await (await bot.call('GET', '/widget', { token: '' })).json()).data.email
  expect([await offers(ours), await offers(sibling)]).toEqual([true, false])
  const { id } = await ours.createContact()
  expect(await leave(tenants, await ours.contactToken(id), 'ada@example.com')).toBe(404)
  expect(await leave({ ...tenants, ours: sibling }, await sibling.visitorToken(), 'ada@example.com')).toBe(404)
  for (const email of [
    'ada',
    'ada@localhost',
    '<ada@example.com',
    '"ada"@example.com',
    'a@b.example, eve@c.example',
    'ada@\u212aelvin.example',
  ])
    expect(await leave(tenants, await ours.visitorToken(), email), email).toBe(400)
})

const listConversations = async ({ ours }: TestTenants): Promise<{ id: string }[]> =>
  (await (await ours.call('GET', '/conversations')).json()).data
