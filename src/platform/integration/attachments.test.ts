import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { timestamp } from '../domain/time.ts'
import { bytesOf, jpeg, secret } from '../testing/files/pictures.ts'
import { line, lines, photo, startFiles } from '../testing/files/startFiles.ts'
import { createSqliteDatabase } from '../testing/testDatabases.ts'
import { dataOf, outcomeOf, type TestBot } from '../testing/testTenants.ts'

const mebibyte = 1024 * 1024
const hourMs = 60 * 60 * 1000
const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
const files = await startFiles(await createSqliteDatabase())
const { ours, sibling, otherOrganization, store, clock, ask, askInMemory, count, visitorWithFile } = files

describe('files', () => {
  it('lose their metadata, and come back as a download in which nothing runs', async () => {
    const content = bytesOf(photo, '<script>alert(1)</script>')
    const { token, id } = await visitorWithFile({ content })
    const answer = await ask('GET', token, id)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.equals(jpeg())).toBe(true)
    expect(bytes.includes(secret) || bytes.includes('<script')).toBe(false)
    const headers = {
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'content-disposition': "attachment; filename*=UTF-8''Bl%C3%A5b%C3%A6r%20%281%29.html.jpg",
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store, no-transform',
      // No service worker can put it into Cache Storage.
      vary: 'Origin, Authorization, *',
      'access-control-expose-headers': expect.stringMatching(/\bvary$/),
    }
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers)
    const head = await askInMemory(token, id, { method: 'HEAD' })
    expect(Object.fromEntries(head.headers)).toMatchObject(headers)

    const path = `/widget/attachments/${id}/download`
    const byPost = await ours.call('POST', path, { token, json: { nonce } })
    const exposed = expect.stringMatching(/\bnatter-nonce$/)
    const others = { vary: 'Origin, Authorization', 'natter-nonce': nonce, 'access-control-expose-headers': exposed }
    expect(Object.fromEntries(byPost.headers)).toMatchObject({ ...headers, ...others })
    expect(Buffer.from(await byPost.arrayBuffer()).equals(bytes)).toBe(true)
    for (const wrong of [undefined, '', 'short', `${nonce}\n`, 7])
      expect(await outcomeOf(ours.call('POST', path, { token, json: { nonce: wrong } }))).toBe('400 invalid_request')
    expect(await outcomeOf(ours.call('GET', path, { token }))).toBe('405 method_not_allowed')
  })

  it('are the one 404 for everyone who must not read them, whatever the reason', async () => {
    const [sent, removed] = [await visitorWithFile(), await visitorWithFile()]
    const message = `/conversations/${removed.conversationId}/messages/${removed.messageId}`
    expect((await ours.call('DELETE', message)).status).toBe(204)
    const unsent = await visitorWithFile({ isSent: false })
    const contact = await ours.contactToken((await ours.createContact()).id)
    const theirs = await sibling.visitorToken()
    const own = (id: string) => `/widget/attachments/${id}`
    const team = (id: string, { conversationId } = sent) => `/conversations/${conversationId}/attachments/${id}`
    const ofTeam = randomUUID()
    expect((await ours.call('PUT', team(ofTeam), { body: 'Dear Ada' })).status).toBe(201)
    const nobodys = (conversationId: string) => team(sent.id, { ...sent, conversationId })
    const refused: [who: string, bot: TestBot, method: string, path: string, token?: string][] = [
      ['another visitor', ours, 'GET', own(sent.id), unsent.token],
      ['another visitor, by POST', ours, 'POST', `${own(sent.id)}/download`, unsent.token],
      ['another visitor, deleting', ours, 'DELETE', own(sent.id), unsent.token],
      ['a contact', ours, 'GET', own(sent.id), contact],
      ['a visitor of another bot, there', sibling, 'GET', own(sent.id), theirs],
      ['the visitor, what the team has not sent', ours, 'GET', own(ofTeam), sent.token],
      ['the visitor, a removed one', ours, 'GET', own(removed.id), removed.token],
      ['the visitor, an unknown one', ours, 'GET', own(randomUUID()), sent.token],
      ['the visitor, an id that is none', ours, 'GET', own('%2e%2e%2fsessions'), sent.token],
      ['the visitor, deleting a sent one', ours, 'DELETE', own(sent.id), sent.token],
      ['the team, what the visitor has not sent', ours, 'GET', team(unsent.id, unsent)],
      ['the team, deleting what the visitor has not sent', ours, 'DELETE', team(unsent.id, unsent)],
      ['the team, a removed one', ours, 'GET', team(removed.id, removed)],
      ['the team, in another conversation', ours, 'GET', team(sent.id, unsent)],
      ['the team, in an unknown conversation', ours, 'GET', nobodys(randomUUID())],
      ['the team, in a conversation that is none', ours, 'GET', nobodys('x')],
      ['the team, by another bot', sibling, 'GET', team(sent.id)],
      ['another bot, uploading', sibling, 'PUT', team(randomUUID())],
      ['another organization', otherOrganization, 'GET', team(sent.id)],
      ['another organization, uploading', otherOrganization, 'PUT', team(sent.id)],
      ['another organization, deleting', otherOrganization, 'DELETE', team(ofTeam)],
    ]
    const bodies = new Set<string>()
    for (const [who, bot, method, path, token] of refused) {
      const content = method === 'PUT' ? { body: 'Dear Ada' } : method === 'POST' ? { json: { nonce } } : {}
      const response = await bot.call(method, path, { ...content, ...(token && { token }) })
      expect(response.status, who).toBe(404)
      const { instance: _, ...problem } = (await response.json()) as Record<string, unknown>
      bodies.add(JSON.stringify(problem))
    }
    expect(bodies.size).toBe(1)
    expect(await outcomeOf(ours.call('GET', own(sent.id), { token: theirs }))).toBe('401 unauthorized')
    for (const [path, options] of [[own(sent.id), { token: sent.token }], [team(sent.id)]] as const)
      expect((await ours.call('GET', path, options)).status).toBe(200)
  })

  it('are refused if they are too large, whether or not they say so', async () => {
    const token = await ours.visitorToken()
    const put = async (body: BodyInit) => outcomeOf(ask('PUT', token, randomUUID(), body))
    expect(await put(new Uint8Array(10 * mebibyte + 1))).toBe('413 body_too_large')
    await store.updateBot(ours.bot.id, { limits: { attachmentMegabytes: 1 } })
    expect(await put(new Uint8Array(2 * mebibyte))).toBe('413 body_too_large')
    const inChunks = { method: 'PUT', body: lines(17), duplex: 'half' } as RequestInit
    expect(await outcomeOf(askInMemory(token, randomUUID(), inChunks))).toBe('413 body_too_large')
    const liar = { ...inChunks, body: lines(2), headers: { authorization: `Bearer ${token}`, 'content-length': '9' } }
    expect(await outcomeOf(askInMemory(token, randomUUID(), liar))).toBe('413 body_too_large')
    await store.updateBot(ours.bot.id, { limits: {} })
  })

  it('that are broken off leave nothing, and can be sent again', async () => {
    const [token, id] = [await ours.visitorToken(), randomUUID()]
    const before = await count()
    const body = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 16; count++) controller.enqueue(line)
        controller.error(new Error('gone'))
      },
    })
    const init = { method: 'PUT', body, duplex: 'half' } as RequestInit
    expect((await askInMemory(token, id, init)).status).toBe(400)
    expect(await count()).toEqual(before)
    expect(await outcomeOf(ask('GET', token, id))).toBe('404 not_found')
    expect((await ask('PUT', token, id, 'Hello')).status).toBe(201)
    expect(await (await ask('GET', token, id)).text()).toBe('Hello')
  })

  it('leave no row behind when their message, contact or session is deleted, or nobody has written for long', async () => {
    await store.purge({ now: timestamp(clock.now() + 2 * hourMs), endedBefore: timestamp(0) })
    const before = await count()
    const content = Buffer.concat(Array.from({ length: 10 }, () => line))
    const grown = (files: number) => ({ files: before.files + files, parts: before.parts + 3 * files })
    const ofMessage = await visitorWithFile({ content })
    const ofSession = await visitorWithFile({ content })
    const unsent = await visitorWithFile({ content, isSent: false })
    const { id: contactId } = await ours.createContact()
    const token = await ours.contactToken(contactId)
    const id = randomUUID()
    expect((await ask('PUT', token, id, new Uint8Array(content))).status).toBe(201)
    const json = { id: randomUUID(), attachments: [{ id, name: 'a' }] }
    await dataOf(ours.call('POST', '/widget/messages', { token, json }))
    expect(await count()).toEqual(grown(4))

    const message = `/conversations/${ofMessage.conversationId}/messages/${ofMessage.messageId}`
    expect((await ours.call('DELETE', message)).status).toBe(204)
    expect(await count()).toEqual(grown(3))
    expect((await ours.call('DELETE', `/contacts/${contactId}`)).status).toBe(204)
    expect(await count()).toEqual(grown(2))
    await store.purge({ now: timestamp(clock.now() + 2 * hourMs), endedBefore: timestamp(0) })
    expect(await count()).toEqual(grown(1))
    expect(await outcomeOf(ask('GET', unsent.token, unsent.id))).toBe('404 not_found')
    const later = timestamp(clock.now() + 1)
    await store.purge({ now: later, endedBefore: timestamp(0), lastMessageBefore: later })
    expect(await count()).toEqual({ files: 0, parts: 0 })
    expect(await outcomeOf(ask('GET', ofSession.token, ofSession.id))).toBe('404 not_found')
  })
})
