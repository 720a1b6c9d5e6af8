import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { scale } from '../../testScale.ts'
import { currentCall } from '../store/callContext.ts'
import { jpeg } from './files/pictures.ts'
import { line, startFiles } from './files/startFiles.ts'
import type { TestDatabase } from './testDatabases.ts'
import { outcomeOf } from './testTenants.ts'

const mebibyte = 1024 * 1024
const part = 256 * 1024
const large = Buffer.concat(Array(16).fill(line))

/** What answers a request over a port. Call it before the request is sent. */
async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** How files arrive and leave, on any database. */
export async function describeFileTransfers(name: string, create: () => Promise<TestDatabase>): Promise<void> {
  const { ours, store, clock, askInMemory, connect, visitorWithFile } = await startFiles(await create())

  describe(name, () => {
    it.each([
      ['415 file_refused', 'a type that is not accepted', '\0', {}],
      ['429 rate_limited', 'a day that is full', 'x', { conversationMegabytesPerDay: 1 }],
      ['413 body_too_large', 'a file that is too large for the bot', 'x', { attachmentMegabytes: 1 }],
    ])(
      'are read to the end before the answer %s, because a browser that still sends would not see it: %s',
      async (outcome, _, start, limits) => {
        await store.updateBot(ours.bot.id, { limits })
        const length = 8 * mebibyte
        const sending = connect('PUT', await ours.visitorToken(), randomUUID(), { 'content-length': String(length) })
        const answered = responseTo(sending)
        let isAnswered = false
        answered.then(() => {
          isAnswered = true
        })
        sending.write(start)
        for (let left = length - 2; left > 0; left -= line.length) {
          const isTaken = sending.write(line.subarray(0, Math.min(left, line.length)))
          if (!isTaken) await once(sending, 'drain')
        }
        expect(isAnswered).toBe(false)
        sending.end('x')
        const response = await answered
        const [text, status] = [await textOf(response), response.statusCode ?? 0]
        expect(await outcomeOf(new Response(text, { status }))).toBe(outcome)
        await store.updateBot(ours.bot.id, { limits: {} })
      },
    )

    it('that arrive slowly from one address leave room for other addresses', async () => {
      const token = await ours.visitorToken()
      /** Begins an upload. Resolves to the status of the answer when the returned function has sent the rest. */
      const start = (address: string) => {
        const headers = { 'x-forwarded-for': address, 'content-length': String(line.length) }
        const upload = connect('PUT', token, randomUUID(), headers)
        const answer = responseTo(upload)
        upload.write('x')
        return async () => {
          upload.end(line.subarray(1))
          return (await answer).resume().statusCode
        }
      }
      const slow = Array.from({ length: 40 }, () => start('203.0.113.9'))
      expect(await start('203.0.113.10')()).toBe(201)
      expect(await Promise.all(slow.map(end => end()))).toEqual(Array(40).fill(201))
    })

    it('are read part by part for their organization, for as long as 5 minutes', async () => {
      const { token, id } = await visitorWithFile({ content: large })
      const owners: (string | null)[] = []
      const { readFilePart } = store
      store.readFilePart = (...args) => {
        owners.push(currentCall().owner)
        return readFilePart(...args)
      }
      const slow = ((await askInMemory(token, id)).body ?? new ReadableStream()).getReader()
      expect((await slow.read()).value).toHaveLength(part)
      clock.advance(299_000)
      expect((await slow.read()).value).toHaveLength(part)
      clock.advance(1_000)
      await expect(slow.read()).rejects.toThrow('in time')
      store.readFilePart = readFilePart
      expect(owners).toEqual([ours.bot.organizationId, ours.bot.organizationId])
    })

    it('stop when the session of the reader ends', async () => {
      const { token, id, conversationId } = await visitorWithFile({ content: large })
      const parts: number[] = []
      const { readFilePart } = store
      store.readFilePart = (...args) => {
        if (args[0] === conversationId) parts.push(args[2])
        return readFilePart(...args)
      }
      const reader = ((await askInMemory(token, id)).body ?? new ReadableStream()).getReader()
      expect((await reader.read()).value).toHaveLength(part)
      expect((await ours.call('DELETE', '/widget/session', { token })).status).toBe(204)
      await expect(reader.read()).rejects.toThrow('session ended')
      store.readFilePart = readFilePart
      expect(parts).toEqual([0])
    })

    it('of clients that do not read them leave room for others after 5 minutes', async () => {
      const visitors = await Promise.all(Array.from({ length: 16 }, () => visitorWithFile()))
      const { token, id } = await visitorWithFile()
      const unread = await Promise.all(
        visitors.flatMap(({ token, id }) => Array.from({ length: 8 }, () => askInMemory(token, id))),
      )
      expect(unread.every(({ status }) => status === 200)).toBe(true)
      const [waiting, cancelled] = [askInMemory(token, id), unread[0]?.body?.cancel()]
      await cancelled
      expect((await waiting).status).toBe(200)
      clock.advance(300_000)
      for (let count = 0; count < 130; count++)
        expect((await (await askInMemory(token, id)).arrayBuffer()).byteLength).toBe(jpeg().length)
      await expect(unread[1]?.arrayBuffer()).rejects.toThrow('in time')
    })

    it(`ten of ${scale.transferredMebibytes} MiB take little memory, while all of them arrive and while all of them are read`, async () => {
      await store.updateBot(ours.bot.id, { limits: { botMegabytesPerDay: 2000 } })
      const files = await Promise.all(
        Array.from({ length: 10 }, async () => ({ token: await ours.visitorToken(), id: randomUUID() })),
      )
      const before = liveBytes()
      const length = scale.transferredMebibytes * mebibyte
      const halfOfLines = length / line.length / 2
      const uploads = files.map(({ token, id }) => connect('PUT', token, id, { 'content-length': String(length) }))
      const answers = uploads.map(responseTo)
      const send = async (lines: number) =>
        Promise.all(
          uploads.map(async upload => {
            for (let count = 0; count < lines; count++) if (!upload.write(line)) await once(upload, 'drain')
          }),
        )
      await send(halfOfLines)
      // Each may hold a part, and what the sockets have buffered.
      await expectFewBytes(before)
      await send(halfOfLines)
      for (const upload of uploads) upload.end()
      for (const answer of await Promise.all(answers)) expect(answer.resume().statusCode).toBe(201)

      const opened = await Promise.all(
        files.map(async ({ token, id }) => {
          const incoming = await responseTo(connect('GET', token, id).end())
          return incoming[Symbol.asyncIterator]() as AsyncIterator<Buffer>
        }),
      )
      const receive = (bytes: number) =>
        Promise.all(
          opened.map(async chunks => {
            let received = 0
            while (received < bytes) {
              const { done, value } = await chunks.next()
              if (done) break
              received += value.length
            }
            return received
          }),
        )
      const half = await receive(length / 2)
      await expectFewBytes(before)
      const rest = await receive(Number.POSITIVE_INFINITY)
      expect(half.map((bytes, index) => bytes + (rest[index] ?? 0))).toEqual(Array(10).fill(length))
      await store.updateBot(ours.bot.id, { limits: {} })
    })
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return text
}

/** The clients have stopped to send and to read, so this is what the server holds. V8 frees buffers in a thread of its own. */
const expectFewBytes = (before: number) =>
  expect.poll(() => liveBytes() - before, { timeout: 20_000 }).toBeLessThan(10 * mebibyte)

/** The bytes of this thread's buffers that are in use. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
