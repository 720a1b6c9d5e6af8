import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { report } from '../../src/testScale.ts'
import { createDeployment, type Deployment } from './deployment.ts'

const readers = 50
const messages = 800
// As long as a message may be: 16 KiB on the wire.
const text = '𝄞'.repeat(4000)
const mebibyte = 2 ** 20

const residentOf = (pid: number): number => {
  const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}
const dataOf = async (answer: Promise<Response>): Promise<Record<string, string>> =>
  ((await (await answer).json()) as { data: Record<string, string> }).data

function listenDeafly({ port, api }: Deployment, token: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(
    `GET ${new URL(api).pathname}/widget/events HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${token}\r\n\r\n`,
  )
  return socket
}

/** Takes a stream to its `count`-th message. */
async function listen({ call }: Deployment, token: string, count: number): Promise<string> {
  const { body } = await call('GET', '/widget/events', { token })
  let tail = ''
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    tail = (tail + chunk).slice(-40_000)
    if (tail.includes(`id: ${count}\n`)) break
  }
  return tail
}

it.skipIf(!existsSync('/proc/self/status'))(
  'streams that nobody reads cost the process little, and keep nothing from those that are read',
  async () => {
    const deployment = await createDeployment()
    onTestFinished(deployment.remove)
    const server = await deployment.serve()
    const { call } = deployment
    const { id = '' } = await dataOf(call('PUT', '/contacts', { json: { name: 'Ada', email: 'ada@example.com' } }))
    const tokenOf = async (): Promise<string> =>
      (await dataOf(call('PUT', '/auth/contacts', { json: { id } })))['token'] ?? ''
    const heard = listen(deployment, await tokenOf(), messages)
    const deaf = []
    for (let count = 0; count < readers; count++) deaf.push(listenDeafly(deployment, await tokenOf()))

    const before = residentOf(server.pid)
    let most = 0
    for (let count = 1; count <= messages; count++) {
      const answer = await call('POST', `/contacts/${id}/messages`, { json: { id: randomUUID(), text } })
      expect(answer.status).toBe(201)
      await answer.body?.cancel()
      most = Math.max(most, residentOf(server.pid) - before)
    }
    expect(await heard).toContain(`id: ${messages}\n`)
    expect((readers * messages * 16 * 1024) / mebibyte).toBeGreaterThan(600)
    expect(most / mebibyte).toBeLessThan(200)
    report(
      `${readers} streams that nobody reads, ${messages} messages of 16 KiB: ${Math.round(most / mebibyte)} MiB more`,
    )
    for (const socket of deaf) socket.destroy()
    await server.stop()
  },
)
