import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { natter, type RunningServer, serve } from '../testing/cliProcess.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { startTestServer } from '../testing/testServer.ts'
import { dataOf, readEvents } from '../testing/testTenants.ts'

type Node = Pick<RunningServer, 'baseUrl' | 'botId'>
const call = (node: Node, authorization: string, method: string, path: string, json?: unknown) =>
  fetch(`${node.baseUrl}/v1/bots/${node.botId}${path}`, {
    method,
    headers: { authorization, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })

it('a reply that a killed node had started is finished by another one, once', async () => {
  const url = await createStoreDatabase(inject('postgres'))
  const variables = { NATTER_DATABASE: url, NATTER_DRAIN: '0' }
  const webhook = await startTestServer((response, _, number) => {
    // The first time, nobody is left to receive the reply.
    if (number > 1) response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Here I am."}')
  })
  const first = await serve(['--dev'], variables)
  const responder = ['--responder', 'webhook', '--webhook-url', webhook.url]
  await natter('bot', 'update', first.botId, ...responder, '--database', url)
  const { token } = await dataOf<{ token: string }>(call(first, '', 'POST', '/widget/sessions'))
  await call(first, token, 'POST', '/widget/messages', { id: randomUUID(), text: 'Is anybody there?' })
  const asked = await webhook.received(1)
  const second = { ...(await serve([], variables)), botId: first.botId }
  const events = readEvents(await call(second, token, 'GET', '/widget/events?after=0'))
  await first.stop('SIGKILL')
  expect((await events.nextOf('message')).data).toMatchObject({ seq: 1, author: 'visitor', text: 'Is anybody there?' })
  expect((await events.nextOf('message')).data).toMatchObject({ seq: 2, author: 'bot', text: 'Here I am.' })
  const restarted = await webhook.received(2)
  // The responder recognizes the retry by its id.
  expect(restarted.headers.get('webhook-id')).toBe(asked.headers.get('webhook-id'))
  expect(await second.stop()).toBe(0)
  expect(webhook.requests).toHaveLength(2)
  for (const { log } of [first, second]) expect(log()).not.toContain(new URL(url).password)
})
