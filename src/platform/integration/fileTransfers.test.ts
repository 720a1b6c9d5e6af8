import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { currentCall } from '../store/callContext.ts'
import { describeFileMemory } from '../testing/fileMemorySuite.ts'
import { jpeg } from '../testing/files/pictures.ts'
import { line, responseTo, startFiles } from '../testing/files/startFiles.ts'
import { createSqliteDatabase } from '../testing/testDatabases.ts'
import { outcomeOf } from '../testing/testTenants.ts'

const mebibyte = 1024 * 1024
const part = 256 * 1024
const large = Buffer.concat(Array(16).fill(line))

await describeFileMemory(createSqliteDatabase)

describe('files on their way', async () => {
  const { ours, store, clock, askInMemory, connect, visitorWithFile } = await startFiles(await createSqliteDatabase())

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
})

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return text
}
