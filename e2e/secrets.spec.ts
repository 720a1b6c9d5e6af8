import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'natter/sdk'
import { expect, Shop, test } from './fixtures.ts'
import { root } from './processes.ts'

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())

test('no token is in the logs, the page, its requests, the bundles or the database file', async ({
  page,
  platform,
  site,
}) => {
  // Earlier tests have the same log. It is searched as a whole.
  const loggedBefore = platform.output().length
  const seenByPage: string[] = []
  page.on('response', async response => {
    seenByPage.push(response.url(), JSON.stringify(await response.allHeaders().catch(() => ({}))))
    if (!response.headers()['content-type']?.includes('event-stream')) {
      seenByPage.push(await response.text().catch(() => ''))
    }
  })
  page.on('console', line => seenByPage.push(line.text()))
  const shop = new Shop(page, site.url)
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.ask('Where is my order?', /tracking link/)
  const held = await page.evaluate(() => JSON.stringify({ ...localStorage }))
  const contactToken = /c:[0-9a-f]{64}/.exec(held)?.[0] ?? ''
  expect(contactToken).not.toBe('')
  const document = await page.content()
  await shop.signOut()
  await shop.chat.ask('Anonymously: which sizes do you have?', /XS/)
  const visitorToken = /v:[0-9a-f]{64}/.exec(await page.evaluate(() => JSON.stringify({ ...localStorage })))?.[0] ?? ''
  expect(visitorToken).not.toBe('')

  // Calls with tokens in the path, and calls with tokens that are refused.
  const client = createClient({
    baseUrl: platform.baseUrl,
    botId: platform.botId,
    organizationToken: platform.organizationToken,
  })
  const email = `${randomUUID()}@example.com`
  await client.contacts.create({ name: 'Mary Jackson', email })
  const { token } = await client.contactTokens.create({ email })
  await client.contactTokens.revoke(token)
  await client.contactTokens.revoke(token)
  const api = `${platform.baseUrl}/v1/bots/${platform.botId}`
  const wrong = `o_${'x'.repeat(43)}`
  await fetch(`${api}/auth/contacts/${encodeURIComponent(token)}`, { method: 'DELETE' })
  await fetch(`${api}/auth/contacts/${token}?token=${token}`, {
    method: 'POST',
    headers: { authorization: wrong, referer: `https://shop.example/?token=${token}` },
    body: JSON.stringify({ id: token }),
  })
  await fetch(`${api}/contacts/${token}`, { headers: { authorization: platform.organizationToken } })

  const contactTokens = [contactToken, visitorToken, token].map(text => text.slice(2))
  const organizationToken = platform.organizationToken
  // The platform buffers its log. The line of the last call comes last.
  await expect.poll(() => platform.output().slice(loggedBefore)).toContain('/contacts/{contactId}"')
  const logs = platform.output().replace(/^\{"baseUrl".*$/m, '') + site.output()
  expect(logs).toContain('/auth/contacts/')
  const sources: Record<string, string> = {
    logs,
    bundles: filesBelow(join(root, 'dist'))
      .map(path => readFileSync(path, 'latin1'))
      .join('\n'),
    database: [platform.database, `${platform.database}-wal`]
      .filter(existsSync)
      .map(path => readFileSync(path, 'latin1'))
      .join('\n'),
  }
  for (const [source, text] of Object.entries(sources)) {
    expect(text.length, `${source} was read`).toBeGreaterThan(100)
    for (const secret of [organizationToken, wrong, ...contactTokens]) {
      expect(text.includes(secret), `${source} holds a token`).toBe(false)
    }
  }
  expect(document.includes(contactToken.slice(2)), 'the page holds a token').toBe(false)
  expect([document, ...seenByPage].join('\n').includes(organizationToken), 'the page saw it').toBe(false)
})
