import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { report } from '../../src/testScale.ts'
import { createDeployment, type Deployment } from './deployment.ts'
import { readResidentBytes } from './residentMemory.ts'

const streamCount = 50
const messageCount = 800
// The longest allowed message: 16 KiB on the wire.
const text = '𝄞'.repeat(4000)
const mebibyte = 2 ** 20

const readData = async (response: Promise<Response>): Promise<Record<string, string>> =>
  ((await (await response).json()) as { data: Record<string, string> }).data

function openUnreadStream({ port, api }: Deployment, token: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(
    `GET ${new URL(api).pathname}/widget/events HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${token}\r\n\r\n`,
  )
  return socket
}

/** Reads a stream until message number `count` and returns the last part of it. */
async function readUntilMessage({ call }: Deployment, token: string, count: number): Promise<string> {
  const { body } = await call('GET', '/widget/events', { token })
  let tail = ''
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    tail = (tail + chunk).slice(-40_000)
    if (tail.includes(`id: ${count}\n`)) break
  }
  return tail
}

it.skipIf(!existsSync('/proc/self/status'))(
  'streams that nobody reads need little memory and do not delay other streams',
  async () => {
    const deployment = await createDeployment()
    onTestFinished(deployment.remove)
    const server = await deployment.serve()
    const { call } = deployment
    const { id = '' } = await readData(call('PUT', '/contacts', { json: { name: 'Ada', email: 'ada@example.com' } }))
    const createToken = async (): Promise<string> =>
      (await readData(call('PUT', '/auth/contacts', { json: { id } })))['token'] ?? ''
    const received = readUntilMessage(deployment, await createToken(), messageCount)
    const unread = []
    for (let count = 0; count < streamCount; count++) unread.push(openUnreadStream(deployment, await createToken()))

    const before = readResidentBytes(server.pid)
    let peakBytes = 0
    for (let count = 1; count <= messageCount; count++) {
      const response = await call('POST', `/contacts/${id}/messages`, { json: { id: randomUUID(), text } })
      expect(response.status).toBe(201)
      await response.body?.cancel()
      peakBytes = Math.max(peakBytes, readResidentBytes(server.pid) - before)
    }
    expect(await received).toContain(`id: ${messageCount}\n`)
    expect((streamCount * messageCount * 16 * 1024) / mebibyte).toBeGreaterThan(600)
    expect(peakBytes / mebibyte).toBeLessThan(200)
    report(
      `${streamCount} streams that nobody reads, ${messageCount} messages of 16 KiB: ${Math.round(peakBytes / mebibyte)} MiB more`,
    )
    for (const socket of unread) socket.destroy()
    await server.stop()
  },
)
