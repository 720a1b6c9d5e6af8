import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterAll, expect } from 'vitest'
import { startServer } from '../../http/server.ts'
import { createPlatform } from '../../platform.ts'
import type { TestDatabase } from '../testDatabases.ts'
import { createTestTenants, dataOf } from '../testTenants.ts'
import { bytesOf, exif, jpeg, jpegSegment } from './pictures.ts'

/** A photo with metadata. */
export const photo: Buffer = jpeg({ segments: [jpegSegment(0xe1, bytesOf('Exif\0\0', exif(1)))] })
/** A line of text of 64 KiB. */
export const line: Uint8Array<ArrayBuffer> = new TextEncoder().encode(`${'x'.repeat(64 * 1024 - 1)}\n`)

const countFiles =
  'SELECT (SELECT count(*) FROM attachments) AS files, (SELECT count(*) FROM attachment_parts) AS parts'

/** Starts the test tenants on a database, for all tests of a file or a block. */
export async function startFiles({ openStore, query }: TestDatabase) {
  const tenants = await createTestTenants({ store: await openStore() })
  const { store, clock, ours, close } = tenants
  // Without the checks of responses, which read each of them completely.
  const platform = createPlatform({ store, clock, rateLimit: 0, trustedProxies: ['127.0.0.1'] })
  const server = await startServer(platform, { host: '127.0.0.1', port: 0 })
  afterAll(async () => {
    await server.close()
    await platform.close()
    await close()
  })

  const pathOf = (id: string) => `/v1/bots/${ours.bot.id}/widget/attachments/${id}`
  /** Requests a file of the widget over a port. */
  const ask = (method: 'PUT' | 'GET', token: string, id: string, body?: BodyInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}${pathOf(id)}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    })
  return {
    ...{ ...tenants, ask },
    /** The rows of files and of their parts. */
    async count() {
      const [{ files, parts } = {}] = await query(countFiles)
      return { files: Number(files), parts: Number(parts) }
    },
    /** Asks in memory. */
    askInMemory: (token: string, id: string, init: RequestInit = {}): Promise<Response> =>
      platform.fetch(
        new Request(`http://natter.test${pathOf(id)}`, { headers: { authorization: `Bearer ${token}` }, ...init }),
      ),
    /** The same with a connection of its own, on which the test writes and reads. */
    connect: (method: string, token: string, id: string, headers: Record<string, string> = {}) =>
      request({
        ...{ host: '127.0.0.1', port: server.port, path: pathOf(id), method, agent: false },
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    /** A visitor with a file, which a message has unless `isSent` is `false`. */
    async visitorWithFile({ isSent = true, content = photo } = {}) {
      const [token, id, messageId] = [await ours.visitorToken(), randomUUID(), randomUUID()]
      expect((await ask('PUT', token, id, new Uint8Array(content))).status).toBe(201)
      if (isSent) {
        const json = { id: messageId, attachments: [{ id, name: 'Blåbær (1).html' }] }
        await dataOf(ours.call('POST', '/widget/messages', { token, json }))
      }
      const session = await store.findSession(hash('sha256', token))
      return { token, id, messageId, conversationId: session?.conversationId ?? '' }
    },
  }
}

/** What answers a request over a port. Call it before the request is sent. */
export async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** A stream of so many lines. */
export function lines(count: number): ReadableStream<Uint8Array> {
  let left = count
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(line)
      else controller.close()
    },
  })
}
