import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { isSignedWebhook } from '../../src/contract/index.ts'
import type { Ledger } from './ledger.ts'

/** The organization's server, which receives webhooks. It sometimes answers with an error. */
export interface WebhookReceiver {
  /** URL of the events webhook. */
  url: string
  close(): void
}

export async function startWebhookReceiver(secret: () => string, ledger: Ledger): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = new Headers(request.headers as Record<string, string>)
    if (!(await isSignedWebhook(secret(), headers, body, Date.now() / 1000)))
      ledger.violations.push('A webhook had no valid signature')
    const event = JSON.parse(body) as { type: string; data: { message?: { id: string } } }
    const isFailing = randomInt(50) === 0
    if (!isFailing && event.data.message) ledger.webhookMessageIds.add(event.data.message.id)
    response.writeHead(isFailing ? 500 : 204).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/events`,
    close: () => void server.close(),
  }
}
