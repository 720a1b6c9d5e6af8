import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { natter, type RunningServer, serve } from '../testing/cliProcess.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { startTestServer } from '../testing/testServer.ts'
import { readEvents } from '../testing/testTenants.ts'

const server = inject('postgres')
const passwordOf = (url: string) => new URL(url).password

type Node = Pick<RunningServer, 'baseUrl' | 'botId'>
const call = (node: Node, authorization: string, method: string, path: string, json?: unknown) =>
  fetch(`${node.baseUrl}/v1/bots/${node.botId}${path}`, {
    method,
    headers: { authorization, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
const atDatabase = ({ NATTER_DATABASE }: { NATTER_DATABASE: string }) => ['--database', NATTER_DATABASE]
const dataOf = async (response: Response) => ((await response.json()) as { data: Record<string, string> }).data

describe('two nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('behave as one for every client, with or without a bus, and keep working when one is killed', async () => {
    const url = await createStoreDatabase(server)
    const variables = { NATTER_DATABASE: url, NATTER_DRAIN: '0' }
    const [first, two] = [await serve(['--dev'], variables), await serve(['--dev'], variables)]
    expect(two.botId).toBe(first.botId)
    // The later start with --dev has ended the previous token.
    const one = { ...first, organizationToken: two.organizationToken }
    const { id } = await dataOf(
      await call(one, one.organizationToken, 'PUT', '/contacts', { name: 'Ada', email: 'ada@example.com' }),
    )
    const { token = '' } = await dataOf(await call(two, two.organizationToken, 'PUT', '/auth/contacts', { id }))
    const events = readEvents(await call(two, token, 'GET', '/widget/events?after=0'))

    const texts = ['hello', 'are you there?']
    for (const text of texts)
      expect((await call(one, token, 'POST', '/widget/messages', { id: randomUUID(), text })).status).toBe(201)
    const received = []
    for (let answers = 0; answers === 0 || received.length < 3; ) {
      const { data } = await events.nextOf('message')
      received.push(data)
      if (data['author'] === 'bot') answers++
    }
    expect(received.map(({ seq }) => seq)).toEqual(received.map((_, index) => index + 1))
    expect(received.filter(({ author }) => author === 'visitor').map(({ text }) => text)).toEqual(texts)

    await first.stop('SIGKILL')
    await call(two, token, 'POST', '/widget/messages', { id: randomUUID(), text: 'still there?' })
    const restarted = await serve(['--log-level', 'warn'], variables)
    const { data } = (await (
      await call({ ...restarted, botId: two.botId }, token, 'GET', '/widget/messages')
    ).json()) as {
      data: { text: string }[]
    }
    expect(data.map(({ text }) => text)).toEqual(expect.arrayContaining([...texts, 'still there?']))
    expect((await call({ ...restarted, botId: two.botId }, token, 'DELETE', '/widget/session')).status).toBe(204)
    expect((await events.nextOf('session.ended')).data).toEqual({ reason: 'logged_out' })
    for (const node of [restarted, two]) {
      expect(await node.stop()).toBe(0)
      expect(node.log()).not.toContain(passwordOf(url))
    }
  })

  it('finish a reply that a killed node had started, once', async () => {
    const variables = { NATTER_DATABASE: await createStoreDatabase(server), NATTER_DRAIN: '0' }
    const webhook = await startTestServer((response, _, number) => {
      // The first time, nobody is left to receive the reply.
      if (number > 1) response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Here I am."}')
    })
    onTestFinished(webhook.close)
    const first = await serve(['--dev'], variables)
    await natter(
      'bot',
      'update',
      first.botId,
      '--responder',
      'webhook',
      '--webhook-url',
      webhook.url,
      ...atDatabase(variables),
    )
    const { token = '' } = await dataOf(await call(first, '', 'POST', '/widget/sessions'))
    await call(first, token, 'POST', '/widget/messages', { id: randomUUID(), text: 'Is anybody there?' })
    const asked = await webhook.received(1)
    const second = { ...(await serve([], variables)), botId: first.botId }
    const events = readEvents(await call(second, token, 'GET', '/widget/events?after=0'))
    await first.stop('SIGKILL')
    expect((await events.nextOf('message')).data).toMatchObject({ seq: 1, author: 'visitor' })
    expect((await events.nextOf('message')).data).toMatchObject({ seq: 2, author: 'bot', text: 'Here I am.' })
    const restarted = await webhook.received(2)
    // The responder recognizes the retry by its id.
    expect(restarted.headers.get('webhook-id')).toBe(asked.headers.get('webhook-id'))
    expect(await second.stop()).toBe(0)
    expect(webhook.requests).toHaveLength(2)
  })
})
