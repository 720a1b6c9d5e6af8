import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { isSignedWebhook } from '../../src/contract/index.ts'
import type { Ledger } from './ledger.ts'

/** The organization's own server, which is told of everything; now and then it fails. */
export interface WebhookReceiver {
  /** Of its events webhook. */
  url: string
  close(): void
}

export async function listen(secret: () => string, ledger: Ledger): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = new Headers(request.headers as Record<string, string>)
    if (!(await isSignedWebhook(secret(), headers, body, Date.now() / 1000)))
      ledger.violations.push('A webhook was not signed')
    const event = JSON.parse(body) as { type: string; data: { message?: { id: string } } }
    const fails = randomInt(50) === 0
    if (!fails && event.data.message) ledger.told.add(event.data.message.id)
    response.writeHead(fails ? 500 : 204).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/events`,
    close: () => void server.close(),
  }
}
