import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { createTestTenants, dataOf } from '../testing/testTenants.ts'

describe('tokens', () => {
  it('are in no log line and nowhere in the database file, whatever happens to them', async () => {
    const folder = createTemporaryFolder()
    const tenants = await createTestTenants({
      metrics: 'all',
      rateLimit: 3600,
      file: join(folder, 'natter.db'),
      responder: {
        // The worst place for a token: the message of an error.
        async *answer({ messages }) {
          yield { text: 'So' }
          throw new Error(
            `upstream refused ${messages.at(-1)?.text} ${encodeURIComponent(messages.at(-1)?.text ?? '')}`,
          )
        },
      },
    })
    const { ours, otherOrganization, store } = tenants
    const contact = await ours.createContact()
    const contactToken = await ours.contactToken(contact.id)
    const foreignToken = await otherOrganization.contactToken((await otherOrganization.createContact()).id)
    const visitorToken = await ours.visitorToken()
    const once = { json: { id: contact.id }, headers: { 'idempotency-key': 'once' } }
    const repeat = (method: string) => dataOf<{ token: string }>(ours.call(method, '/auth/contacts', once))
    const repeatedTokens = [await repeat('PUT'), await repeat('POST')]
    const tokens = [
      ...[contactToken, foreignToken, visitorToken, ...repeatedTokens.map(({ token }) => token)],
      ...[ours.organizationToken, otherOrganization.organizationToken],
    ]
    expect(new Set(tokens).size).toBe(7)

    const events = await ours.events(visitorToken)
    // A visitor pastes a token into the chat. It is stored as text, so it is not among the searched ones.
    await ours.send(visitorToken, `c:${'ab'.repeat(32)}`)
    while ((await events.nextOf('message')).data['author'] !== 'system');
    for (const token of tokens) {
      const headers = { referer: `https://shop.example/${token}` }
      await ours.call('GET', `/contacts/${token}?token=${token}`, { headers, address: '203.0.113.9' })
      await ours.call('DELETE', `/auth/contacts/${encodeURIComponent(token)}x`)
      await ours.call('PUT', `/widget/${token}`, { token })
      await ours.call('PUT', '/contacts', { json: { name: 'Ada', email: `${token}@` } })
      await ours.call('PUT', '/contacts', { headers: { 'content-type': 'application/json' }, body: `{"${token}"` })
      await ours.call('GET', '/widget/session', { token: `${token}x` })
      await ours.call('GET', `/conversations/${token}/messages?before=${token}`)
      await ours.call('POST', `/contacts/${token}/messages`, { json: { id: token, text: 'Hello' } })
      await ours.call('PUT', '/contacts', { json: {}, headers: { 'idempotency-key': `${token} ` } })
    }
    const { endSession } = store
    store.endSession = () => Promise.reject(new Error(`the engine failed on ${contactToken}`))
    expect((await ours.call('DELETE', `/auth/contacts/${contactToken}`)).status).toBe(500)
    store.endSession = endSession
    await ours.call('DELETE', `/auth/contacts/${contactToken}`)
    const ask = (path: string, method = 'GET') =>
      tenants.platform.fetch(new Request(`http://natter.test${path}`, { method }))
    for (const path of [`/${contactToken}`, `/natter@1.0.0/${visitorToken}.js`]) await ask(path, `X${contact.id}`)
    const metrics = await (await ask('/metrics')).text()
    expect(metrics).toContain('method="other"')
    for (const id of [contact.id, ours.bot.id, ours.bot.organizationId, '203.0.113.9'])
      expect(metrics).not.toContain(id)
    await tenants.close()

    const log = tenants.lines.join('')
    expect(log).toContain('the engine failed on [redacted]')
    expect(log).toContain('upstream refused [redacted]')
    expect(log).toContain('/v1/bots/{botId}/auth/contacts/{contactToken}')
    const files = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'latin1')))
    expect(files.join('')).toContain(contact.id)
    for (const token of tokens) {
      const secret = token.slice(2)
      expect(log).not.toContain(secret)
      expect(metrics).not.toContain(secret)
      expect(files.join('')).not.toContain(secret)
      const bytes = Buffer.from(secret, token.startsWith('o_') ? 'base64url' : 'hex')
      expect(files.join('')).not.toContain(bytes.toString('latin1'))
    }
  })
})
