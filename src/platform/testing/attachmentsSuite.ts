import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportFiles } from '../cli/exportFiles.ts'
import { timestamp } from '../domain/time.ts'
import { bytesOf, jpeg, secret } from './files/pictures.ts'
import { type FilesDatabase, line, lines, photo, useFiles } from './files/useFiles.ts'
import { dataOf, outcomeOf } from './testTenants.ts'

const mebibyte = 1024 * 1024
const hourMs = 60 * 60 * 1000
const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

/** Files of visitors and agents, on any store. `open` resolves to an empty one. */
export function describeAttachments(name: string, open: () => Promise<FilesDatabase>): void {
  const { database, tenants, ask, askInMemory, visitorWithFile } = useFiles(open)

  describe(name, { timeout: 60_000 }, () => {
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
    })

    it('come by POST as by GET, with the nonce of the request, which the page can read', async () => {
      const { ours } = tenants()
      const { token, id } = await visitorWithFile()
      const path = `/widget/attachments/${id}`
      const byGet = await ours.call('GET', path, { token })
      const byPost = await ours.call('POST', `${path}/download`, { token, json: { nonce } })
      expect([byPost.status, byPost.headers.get('natter-nonce')]).toEqual([200, nonce])
      expect(byPost.headers.get('access-control-expose-headers')).toMatch(/\bnatter-nonce$/)
      expect(await byPost.arrayBuffer()).toEqual(await byGet.arrayBuffer())
      const headersOf = ({ headers }: Response) => {
        const own = ['vary', 'natter-nonce', 'access-control-expose-headers', 'x-request-id', 'ratelimit']
        return Object.fromEntries([...headers].filter(([name]) => !own.includes(name)))
      }
      expect(headersOf(byPost)).toEqual(headersOf(byGet))
      for (const wrong of [undefined, '', 'short', `${nonce}\n`, 7])
        expect(await outcomeOf(await ours.call('POST', `${path}/download`, { token, json: { nonce: wrong } }))).toBe(
          '400 invalid_request',
        )
      expect(await outcomeOf(await ours.call('GET', `${path}/download`, { token }))).toBe('405 method_not_allowed')
    })

    it('that were not sent are deleted by their sender, and then make room for others on this day', async () => {
      const { ours, store } = tenants()
      await store.updateBot(ours.bot.id, { limits: { conversationMegabytesPerDay: 1 } })
      const token = await ours.visitorToken()
      const put = async (id: string) => outcomeOf(await ask('PUT', token, id, 'x'.repeat(0.6 * mebibyte)))
      const remove = async (id: string, as = token) =>
        outcomeOf(await ours.call('DELETE', `/widget/attachments/${id}`, { token: as }))
      const [first, second] = [randomUUID(), randomUUID()]
      expect([await put(first), await put(second)]).toEqual(['201', '429 rate_limited'])
      expect(await remove(first, await ours.visitorToken())).toBe('404 not_found')
      expect([await remove(first), await remove(first)]).toEqual(['204', '404 not_found'])
      const again = await ours.call('DELETE', `/widget/attachments/${first}`, { token })
      expect(((await again.json()) as { detail: string }).detail).toMatch(/^There is no such .*\bfile\b/)
      expect(await outcomeOf(await ask('GET', token, first))).toBe('404 not_found')
      expect(await put(second)).toBe('201')
      const json = { id: randomUUID(), attachments: [{ id: second, name: 'a' }] }
      await dataOf(await ours.call('POST', '/widget/messages', { token, json }))
      expect(await remove(second)).toBe('404 not_found')
      expect((await ask('GET', token, second)).status).toBe(200)
      await store.updateBot(ours.bot.id, { limits: {} })
    })

    it('are the one 404 for everyone who must not read them, whatever the reason', async () => {
      const { ours, sibling, otherOrganization } = tenants()
      const sent = await visitorWithFile()
      const removed = await visitorWithFile()
      const path = `/conversations/${removed.conversationId}/messages/${removed.messageId}`
      expect((await ours.call('DELETE', path)).status).toBe(204)
      const unsent = await visitorWithFile({ isSent: false })
      const ofTeam = randomUUID()
      const teamPath = `/conversations/${sent.conversationId}/attachments`
      const body = 'Dear Ada'
      expect((await ours.call('PUT', `${teamPath}/${ofTeam}`, { body })).status).toBe(201)
      const contact = await ours.contactToken((await ours.createContact()).id)
      const theirs = await sibling.visitorToken()
      const own = (id: string, token: string) => () => ours.call('GET', `/widget/attachments/${id}`, { token })
      const refused = {
        'another visitor': own(sent.id, unsent.token),
        'a contact': own(sent.id, contact),
        'a visitor of another bot, there': () =>
          sibling.call('GET', `/widget/attachments/${sent.id}`, { token: theirs }),
        'the visitor, what the team has not sent': own(ofTeam, sent.token),
        'the visitor, a removed one': own(removed.id, removed.token),
        'the visitor, an unknown one': own(randomUUID(), sent.token),
        'the visitor, an id that is none': own('%2e%2e%2fsessions', sent.token),
        'another visitor, by POST': () =>
          ours.call('POST', `/widget/attachments/${sent.id}/download`, { token: unsent.token, json: { nonce } }),
        'another visitor, deleting': () =>
          ours.call('DELETE', `/widget/attachments/${sent.id}`, { token: unsent.token }),
        'the visitor, deleting a sent one': () =>
          ours.call('DELETE', `/widget/attachments/${sent.id}`, { token: sent.token }),
        'the team, deleting what the visitor has not sent': () =>
          ours.call('DELETE', `/conversations/${unsent.conversationId}/attachments/${unsent.id}`),
        'another organization, deleting': () => otherOrganization.call('DELETE', `${teamPath}/${ofTeam}`),
        'the team, what the visitor has not sent': () =>
          ours.call('GET', `/conversations/${unsent.conversationId}/attachments/${unsent.id}`),
        'the team, a removed one': () =>
          ours.call('GET', `/conversations/${removed.conversationId}/attachments/${removed.id}`),
        'the team, in another conversation': () =>
          ours.call('GET', `/conversations/${unsent.conversationId}/attachments/${sent.id}`),
        'the team, in an unknown conversation': () =>
          ours.call('GET', `/conversations/${randomUUID()}/attachments/${sent.id}`),
        'the team, in a conversation that is none': () => ours.call('GET', `/conversations/x/attachments/${sent.id}`),
        'the team, by another bot': () => sibling.call('GET', `${teamPath}/${sent.id}`),
        'another organization': () => otherOrganization.call('GET', `${teamPath}/${sent.id}`),
        'another organization, uploading': () => otherOrganization.call('PUT', `${teamPath}/${sent.id}`, { body }),
        'another bot, uploading': () => sibling.call('PUT', `${teamPath}/${randomUUID()}`, { body }),
      }
      const bodies = new Set<string>()
      for (const [who, read] of Object.entries(refused)) {
        const response = await read()
        expect(response.status, who).toBe(404)
        const { instance: _, ...problem } = (await response.json()) as Record<string, unknown>
        bodies.add(JSON.stringify(problem))
      }
      expect(bodies.size).toBe(1)
      expect(await outcomeOf(await own(sent.id, theirs)())).toBe('401 unauthorized')
      for (const read of [own(sent.id, sent.token), () => ours.call('GET', `${teamPath}/${sent.id}`)])
        expect((await read()).status).toBe(200)
    })

    it('are refused where files are off, and if they are too large or of another type', async () => {
      const { ours, store } = tenants()
      const token = await ours.visitorToken()
      const put = async (body: BodyInit) => outcomeOf(await ask('PUT', token, randomUUID(), body))
      expect(await put('<svg onload="alert(1)">')).toBe('415 file_refused')
      expect(await put(new Uint8Array(10 * mebibyte + 1))).toBe('413 body_too_large')
      await store.updateBot(ours.bot.id, { limits: { attachmentMegabytes: 1 } })
      expect(await put(new Uint8Array(2 * mebibyte))).toBe('413 body_too_large')
      const inChunks = { method: 'PUT', body: lines(17), duplex: 'half' } as RequestInit
      expect(await outcomeOf(await askInMemory(token, randomUUID(), inChunks))).toBe('413 body_too_large')
      const liar = { ...inChunks, body: lines(2), headers: { authorization: `Bearer ${token}`, 'content-length': '9' } }
      expect(await outcomeOf(await askInMemory(token, randomUUID(), liar))).toBe('413 body_too_large')
      await store.updateBot(ours.bot.id, { attachments: false, limits: {} })
      expect(await put('Hello')).toBe('403 attachments_off')
      await store.updateBot(ours.bot.id, { attachments: true })
    })

    it('that are broken off leave nothing, and can be sent again', async () => {
      const [token, id] = [await tenants().ours.visitorToken(), randomUUID()]
      const before = await database().count()
      const body = new ReadableStream({
        start(controller) {
          for (let count = 0; count < 16; count++) controller.enqueue(line)
          controller.error(new Error('gone'))
        },
      })
      const init = { method: 'PUT', body, duplex: 'half' } as RequestInit
      expect((await askInMemory(token, id, init)).status).toBe(400)
      expect(await database().count()).toEqual(before)
      expect(await outcomeOf(await ask('GET', token, id))).toBe('404 not_found')
      expect((await ask('PUT', token, id, 'Hello')).status).toBe(201)
      expect(await (await ask('GET', token, id)).text()).toBe('Hello')
    })

    it('are part of what is exported of a contact, byte for byte', async () => {
      const { ours, store } = tenants()
      const { id: contactId } = await ours.createContact()
      const [token, id] = [await ours.contactToken(contactId), randomUUID()]
      const content = Buffer.concat(Array.from({ length: 9 }, () => line))
      expect((await ask('PUT', token, id, new Uint8Array(content))).status).toBe(201)
      const json = { id: randomUUID(), attachments: [{ id, name: 'Letter' }] }
      await dataOf(await ours.call('POST', '/widget/messages', { token, json }))
      const scope = { organizationId: ours.bot.organizationId, botId: ours.bot.id, contactId }
      const exported = await store.exportContact(scope)
      if (!exported) throw new Error('There is no such contact')
      const folder = await mkdtemp(join(tmpdir(), 'natter-export-'))
      const { messages } = await exportFiles(store, scope, exported, folder)
      expect(messages).toMatchObject([{ text: '', attachments: [{ id, name: 'Letter.txt', savedAs: `${id}.txt` }] }])
      expect((await readFile(join(folder, `${id}.txt`))).equals(content)).toBe(true)
      await rm(folder, { recursive: true })
    })

    it('leave no row behind when their message, contact or session is deleted, or nobody has written for long', async () => {
      const { ours, store, clock } = tenants()
      await database().store.purge({ now: timestamp(clock.now() + 2 * hourMs), endedBefore: timestamp(0) })
      const before = await database().count()
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
      await dataOf(await ours.call('POST', '/widget/messages', { token, json }))
      expect(await database().count()).toEqual(grown(4))

      const message = `/conversations/${ofMessage.conversationId}/messages/${ofMessage.messageId}`
      expect((await ours.call('DELETE', message)).status).toBe(204)
      expect(await database().count()).toEqual(grown(3))
      expect((await ours.call('DELETE', `/contacts/${contactId}`)).status).toBe(204)
      expect(await database().count()).toEqual(grown(2))
      await store.purge({ now: timestamp(clock.now() + 2 * hourMs), endedBefore: timestamp(0) })
      expect(await database().count()).toEqual(grown(1))
      expect(await outcomeOf(await ask('GET', unsent.token, unsent.id))).toBe('404 not_found')
      const later = timestamp(clock.now() + 1)
      await store.purge({ now: later, endedBefore: timestamp(0), lastMessageBefore: later })
      expect((await database().count()).files).toBe(0)
      expect((await database().count()).parts).toBe(0)
      expect(await outcomeOf(await ask('GET', ofSession.token, ofSession.id))).toBe('404 not_found')
    })
  })
}
