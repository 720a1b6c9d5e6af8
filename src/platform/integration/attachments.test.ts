import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, startServer } from '../server.ts'
import { bytesOf, exif, jpeg, jpegSegment, secret } from '../testing/files/pictures.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
let server: HttpServer
beforeAll(async () => {
  tenants = await createTestTenants()
  server = await startServer(tenants.platform, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
  await tenants.close()
})

const mebibyte = 1024 * 1024

/** Requests a file of the widget over a port. */
function ask(method: 'PUT' | 'GET', token: string, id: string, body?: BodyInit): Promise<Response> {
  const url = `http://127.0.0.1:${server.port}/v1/bots/${tenants.ours.bot.id}/widget/attachments/${id}`
  return fetch(url, { method, headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) })
}
const photo = jpeg({ segments: [jpegSegment(0xe1, bytesOf('Exif\0\0', exif(1)))] })

describe('a file', () => {
  it('loses its metadata, and comes back as a download in which nothing runs', async () => {
    const [token, id] = [await tenants.ours.visitorToken(), randomUUID()]
    const polyglot = bytesOf(photo, '<script>alert(1)</script>')
    expect((await ask('PUT', token, id, new Uint8Array(polyglot))).status).toBe(201)
    const json = { id: randomUUID(), text: 'See', attachments: [{ id, name: 'Blåbær (1).html' }] }
    await dataOf(await tenants.ours.call('POST', '/widget/messages', { token, json }))
    const answer = await ask('GET', token, id)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.equals(jpeg())).toBe(true)
    expect(bytes.includes(secret) || bytes.includes('<script')).toBe(false)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'content-disposition': "attachment; filename*=UTF-8''Bl%C3%A5b%C3%A6r%20%281%29.html.jpg",
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store, no-transform',
    })
  })

  it('is the one 404 for other sessions, bots and organizations', async () => {
    const [token, other, id] = [await tenants.ours.visitorToken(), await tenants.ours.visitorToken(), randomUUID()]
    await ask('PUT', token, id, new Uint8Array(photo))
    expect(await outcomeOf(await ask('GET', other, id))).toBe('404 not_found')
    const json = { id: randomUUID(), text: 'See', attachments: [{ id, name: 'a.jpg' }] }
    await dataOf(await tenants.ours.call('POST', '/widget/messages', { token, json }))
    const listed = (await dataOf(await tenants.ours.call('GET', '/conversations'))) as {
      id: string
      lastMessage: { id: string }
    }[]
    const conversation = listed.find(({ lastMessage }) => lastMessage.id === json.id)
    const path = `/conversations/${conversation?.id}/attachments/${id}`
    expect((await tenants.ours.call('GET', path)).status).toBe(200)
    expect(await outcomeOf(await ask('GET', other, id))).toBe('404 not_found')
    for (const bot of [tenants.sibling, tenants.otherOrganization])
      expect(await outcomeOf(await bot.call('GET', path))).toBe('404 not_found')
  })

  it('is refused where files are off, and if it is too large or of another type', async () => {
    const token = await tenants.ours.visitorToken()
    const large = new Uint8Array(10 * mebibyte + 1)
    expect(await outcomeOf(await ask('PUT', token, randomUUID(), '<svg onload="alert(1)">'))).toBe('415 file_refused')
    const path = `/widget/attachments/${randomUUID()}`
    expect(await outcomeOf(await tenants.ours.call('PUT', path, { token, body: large as never }))).toBe(
      '413 body_too_large',
    )
    await tenants.store.updateBot(tenants.ours.bot.id, { attachments: false })
    expect(await outcomeOf(await ask('PUT', token, randomUUID(), 'Hello'))).toBe('403 attachments_off')
    await tenants.store.updateBot(tenants.ours.bot.id, { attachments: true })
  })

  it('that is broken off leaves nothing, and can be sent again', async () => {
    const [token, id] = [await tenants.ours.visitorToken(), randomUUID()]
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(mebibyte)))
        controller.error(new Error('gone'))
      },
    })
    const path = `http://natter.test/v1/bots/${tenants.ours.bot.id}/widget/attachments/${id}`
    const init = { method: 'PUT', headers: { authorization: `Bearer ${token}` }, body: broken, duplex: 'half' }
    expect((await tenants.platform.fetch(new Request(path, init as RequestInit))).status).toBe(400)
    expect(await outcomeOf(await ask('GET', token, id))).toBe('404 not_found')
    expect((await ask('PUT', token, id, 'Hello')).status).toBe(201)
    expect(await (await ask('GET', token, id)).text()).toBe('Hello')
  })

  it('of ten uploads at once takes little memory in the platform', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => tenants.ours.visitorToken()))
    const line = new TextEncoder().encode(`${'x'.repeat(64 * 1024 - 1)}\n`)
    let peak = 0
    const before = process.memoryUsage().arrayBuffers
    const upload = async (token: string): Promise<Response> => {
      let left = 9 * 16
      const body = new ReadableStream({
        pull(controller) {
          peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
          if (left-- > 0) controller.enqueue(line)
          else controller.close()
        },
      })
      const path = `http://natter.test/v1/bots/${tenants.ours.bot.id}/widget/attachments/${randomUUID()}`
      const init = { method: 'PUT', headers: { authorization: `Bearer ${token}` }, body, duplex: 'half' }
      return tenants.platform.fetch(new Request(path, init as RequestInit))
    }
    const answers = await Promise.all(tokens.map(upload))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
    // The files have 90 MiB. What is measured includes garbage that has not been collected yet.
    expect(peak / mebibyte).toBeLessThan(60)
  })
})
