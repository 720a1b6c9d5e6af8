import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { report } from '../../src/testScale.ts'
import { runClients } from './clients.ts'
import { findInconsistencies, waitUntilIdle } from './consistency.ts'
import { createDeployment } from './deployment.ts'
import { answers, createLedger, fieldsOf } from './ledger.ts'

interface Connection {
  socket: Socket
  received(): string
  /** Resolves to everything received when the other side has closed the connection. */
  closed: Promise<string>
}

async function open(port: number, text: string, until: RegExp): Promise<Connection> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<string>(resolve => socket.once('close', () => resolve(received)))
  socket.write(text)
  while (!until.test(received)) await once(socket, 'data')
  return { socket, received: () => received, closed }
}
const requestHead = (api: string, method: string, path: string, token: string, ...headers: string[]): string =>
  [
    `${method} ${new URL(api).pathname}${path} HTTP/1.1`,
    'Host: natter.test',
    `Authorization: ${token}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

// Each takes its own `onTestFinished`: the imported one belongs to whichever test began last.
describe.concurrent('SIGTERM under load', () => {
  it('finishes running requests, closes streams so that they reconnect elsewhere, loses nothing, and exits within 10 s', async ({
    onTestFinished,
  }) => {
    const deployment = await createDeployment({ answers })
    onTestFinished(deployment.remove)
    const server = await deployment.serve()
    const ledger = createLedger()
    let isOver = false
    const load = { deployment, ledger, isOver: () => isOver }
    const working = runClients(load)
    const visitor = (await (await deployment.call('POST', '/widget/sessions', { token: '' })).json()) as {
      data: { token: string }
    }
    const streams = await Promise.all(
      Array.from({ length: 20 }, () =>
        open(
          deployment.port,
          requestHead(deployment.api, 'GET', '/widget/events', visitor.data.token),
          /event-stream[\s\S]*\r\n\r\n/,
        ),
      ),
    )
    // Requests whose headers the platform has received and confirmed, but not yet their bodies.
    const bodies = Array.from({ length: 20 }, (_, index) => JSON.stringify(fieldsOf(`upload-${index}@example.com`, 1)))
    const uploads = await Promise.all(
      bodies.map(async body => {
        const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue']
        return {
          body,
          ...(await open(
            deployment.port,
            requestHead(deployment.api, 'PUT', '/contacts', deployment.organizationToken, ...headers),
            /100 Continue/,
          )),
        }
      }),
    )
    await pause(1000)
    const started = performance.now()
    const stopped = server.stop('SIGTERM')
    await pause(200)
    for (const { socket, body } of uploads) socket.write(body)

    for (const { closed } of uploads) expect(await closed).toMatch(/HTTP\/1\.1 201 Created[\s\S]*upload-\d/)
    const retries = (await Promise.all(streams.map(({ closed }) => closed))).map(received =>
      Number(/retry: (\d+)/.exec(received)?.[1]),
    )
    for (const ms of retries) expect(ms).toBeGreaterThanOrEqual(500)
    // With jitter, so that not all clients reconnect at the same moment.
    expect(new Set(retries).size).toBeGreaterThan(10)
    await stopped
    const tookMs = performance.now() - started
    expect(await server.ended).toBe(0)
    expect(tookMs).toBeLessThan(10_000)

    isOver = true
    const restarted = await deployment.serve()
    await working
    await waitUntilIdle(deployment.database)
    // No webhook is configured in this test.
    for (const { messages } of ledger.conversations) for (const { id } of messages) ledger.webhookMessageIds.add(id)
    expect(await findInconsistencies(deployment, ledger)).toEqual([])
    const found = (await (await deployment.call('POST', '/contacts?query=upload-&limit=100')).json()) as {
      data: unknown[]
    }
    expect(found.data).toHaveLength(20)
    await restarted.stop()
    report(`stopped in ${Math.round(tookMs)} ms under load, ${ledger.acknowledged} calls acknowledged before and after`)
  })

  it('closes connections that never send the rest of a request, and exits within 10 s', async ({ onTestFinished }) => {
    const deployment = await createDeployment()
    onTestFinished(deployment.remove)
    const server = await deployment.serve()
    const headers = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue']
    const upload = await open(
      deployment.port,
      requestHead(deployment.api, 'PUT', '/contacts', deployment.organizationToken, ...headers),
      /100 Continue/,
    )
    const started = performance.now()
    await server.stop('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(await upload.closed).not.toContain('201 Created')
  })
})
