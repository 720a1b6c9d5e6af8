import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, readEvents } from '../testing/testTenants.ts'

describe('tokens', () => {
  it('are in no log line and nowhere in the database file, whatever happens to them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'natter-secrets-'))
    const tenants = await createTestTenants({
      metrics: 'all',
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
    const foreignContact = await otherOrganization.createContact()
    const foreignToken = await otherOrganization.contactToken(foreignContact.id)
    const visitorToken = await ours.visitorToken()
    const once = { json: { id: contact.id }, headers: { 'idempotency-key': 'once' } }
    const repeated = [await ours.call('PUT', '/auth/contacts', once), await ours.call('POST', '/auth/contacts', once)]
    const repeatedTokens = (await Promise.all(repeated.map(dataOf))) as { token: string }[]
    const tokens = [
      ...[contactToken, foreignToken, visitorToken, ...repeatedTokens.map(({ token }) => token)],
      ...[ours.organizationToken, otherOrganization.organizationToken],
    ]
    expect(new Set(tokens).size).toBe(7)

    const events = readEvents(await ours.call('GET', '/widget/events', { token: visitorToken }))
    // A visitor pastes a token into the chat. It is stored as text, so it is not among the searched ones.
    await ours.send(visitorToken, `c:${'ab'.repeat(32)}`)
    while ((await events.nextOf('message')).data['author'] !== 'system');
    for (const token of tokens) {
      await ours.call('GET', `/contacts/${token}?token=${token}`, {
        headers: { referer: `https://shop.example/${token}` },
      })
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
    const metrics = await (await tenants.platform.fetch(new Request('http://natter.test/metrics'))).text()
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
    await rm(folder, { recursive: true })
  })
})
