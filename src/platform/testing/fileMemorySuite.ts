import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { scale } from '../../testScale.ts'
import { line, responseTo, startFiles } from './files/startFiles.ts'
import type { TestDatabase } from './testDatabases.ts'

const mebibyte = 1024 * 1024

/** How much memory files take, on any database. */
export async function describeFileMemory(create: () => Promise<TestDatabase>): Promise<void> {
  const { ours, store, connect } = await startFiles(await create())

  it(`ten files of ${scale.transferredMebibytes} MiB take little memory, while all of them arrive and while all of them are read`, async () => {
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
