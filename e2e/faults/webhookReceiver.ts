import { randomInt } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { isSignedWebhook } from '../../src/contract/index.ts'
import { type LocalServer, startLocalServer } from '../../src/testServer.ts'
import type { Ledger } from './ledger.ts'

/** The organization's server, which receives webhooks. It sometimes answers with an error. */
export const startWebhookReceiver = (secret: () => string, ledger: Ledger): Promise<LocalServer> =>
  startLocalServer(async (request, response) => {
    const body = await text(request)
    const headers = new Headers(request.headers as Record<string, string>)
    if (!(await isSignedWebhook(secret(), headers, body, Date.now() / 1000)))
      ledger.violations.push('A webhook had no valid signature')
    const event = JSON.parse(body) as { type: string; data: { message?: { id: string } } }
    const isFailing = randomInt(50) === 0
    if (!isFailing && event.data.message) ledger.webhookMessageIds.add(event.data.message.id)
    response.writeHead(isFailing ? 500 : 204).end()
  })
