import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Message, ResponderSettings, TurnRequest } from '../../contract/index.ts'
import type { BotChanges } from '../store/store.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { startTestServer, type TestServer, webhookSecret } from '../testing/testServer.ts'
import { advanceUntil, createManualClock, createTestTenants } from '../testing/testTenants.ts'
import { botTextsIn } from '../texts/botTexts.ts'
import { english } from '../texts/english.ts'
import { createResponders, type RespondersOptions } from './responders.ts'

function contentFolder(text: string): string {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'returns.md'), `# Returns\n\n${text}\n`)
  return folder
}

/** A visitor of a bot that these responders answer, with an open stream. */
async function start(options: RespondersOptions = {}) {
  const clock = createManualClock()
  const responder = await createResponders({ paceMs: 0, clock, ...options })
  onTestFinished(responder.close)
  const tenants = await createTestTenants({ responder, clock, metrics: 'all' })
  const { ours, store } = tenants
  const token = await ours.visitorToken()
  const events = await ours.events(token)
  const reply = async (): Promise<Message> => {
    for (;;) {
      const { data } = await events.nextOf('message')
      if (data['author'] !== 'visitor') return data as unknown as Message
    }
  }
  const update = (settings: BotChanges) => store.updateBot(ours.bot.id, settings)
  return {
    ...{ tenants, clock, events, update },
    use: (responder: ResponderSettings) => update({ responder }),
    useWebhook: ({ url }: TestServer) => update({ responder: { kind: 'webhook', url, secret: webhookSecret } }),
    say: (text = 'returns') => ours.send(token, text),
    stop: (id: unknown) => ours.call('POST', '/widget/stop', { token, json: { id } }),
    reply: () => advanceUntil(clock, 20, reply()),
    history: () => ours.messages(token),
    metrics: async () => (await tenants.platform.fetch(new Request('http://127.0.0.1/metrics'))).text(),
  }
}

describe('createResponders', () => {
  it('names the page of an answer below the address of its folder, of the bot or of the platform', async () => {
    const content = contentFolder('Within 30 days.')
    const { use, say, reply } = await start({ content, contentUrl: 'https://shop.example/' })
    await use({ kind: 'faq' })
    await say()
    expect((await reply()).sources).toEqual([{ title: 'Returns', url: 'https://shop.example/returns' }])
    await use({ kind: 'faq', content })
    await say()
    expect(await reply()).not.toHaveProperty('sources')
    await use({ kind: 'faq', content, contentUrl: 'https://help.example/' })
    await say()
    expect((await reply()).sources).toEqual([{ title: 'Returns', url: 'https://help.example/returns' }])
  })

  it('gives a model what matches in the folder of its bot, and only of that', async () => {
    const model = await startTestServer(response =>
      response
        .setHeader('content-type', 'application/json')
        .end('{"choices":[{"message":{"content":"Within 60 days [1]."},"finish_reason":"stop"}]}'),
    )
    const url = 'https://shop.example/returns'
    const content = createTemporaryFolder()
    writeFileSync(
      join(content, 'help.md'),
      `---\nsource: ${url}\n---\n# Help\n\n## Returns\n\nWithin 60 days.\n\n## Wool\n\nBy hand.\n`,
    )
    const { use, say, reply } = await start({ content: contentFolder('Within 30 days.') })
    const settings = { kind: 'openai', baseUrl: model.url, model: 'small', prompt: '', history: 20 } as const
    await use({ ...settings, content })
    await say('How long do I have for returns?')
    expect(await reply()).toMatchObject({ text: 'Within 60 days [1].', sources: [{ title: 'Returns', url }] })
    await use(settings)
    await say('And for returns of shoes?')
    expect((await reply()).text).toBe('Within 60 days [1].')
    const [first, second] = [await model.received(1), await model.received(2)]
    expect(first.body).toContain('Within 60 days.')
    expect(first.body).not.toMatch(/By hand|30 days/)
    expect(second.body).not.toMatch(/60 days\.|30 days|nothing that matches/)
    await use({ ...settings, content: contentFolder('Within 60 days.'), contentUrl: 'https://shop.example/help' })
    await say('And what about returns?')
    expect(await reply()).toMatchObject({ sources: [{ title: 'Returns', url: 'https://shop.example/help/returns' }] })
  })

  it('answers each turn with the responder that the bot has at that moment', async () => {
    const webhook = await startTestServer(response =>
      response.setHeader('content-type', 'text/plain').end('From the webhook.'),
    )
    const content = contentFolder('Within 30 days.')
    const { use, useWebhook, say, reply } = await start({ content })
    await say()
    expect((await reply()).text).toBe('Within 30 days.')
    await useWebhook(webhook)
    await say()
    expect(await reply()).toMatchObject({ author: 'bot', text: 'From the webhook.' })
    await use({ kind: 'faq', content: contentFolder('Within 60 days.') })
    await say()
    expect((await reply()).text).toBe('Within 60 days.')
  })

  it('does not reply for a bot that people answer, and shows no typing indicator', async () => {
    const { tenants, use, say, events, history } = await start()
    await use({ kind: 'none' })
    await say()
    await events.nextOf('message')
    expect(await history()).toHaveLength(1)
    tenants.platform.closeStreams()
    for (let event = await events.next(); event; event = await events.next()) expect(event.event).not.toBe('typing')
  })

  it('does not reply if the webhook returns nothing', async () => {
    const webhook = await startTestServer(response => response.writeHead(204).end())
    const { useWebhook, say, events, history, metrics } = await start()
    await useWebhook(webhook)
    await say()
    await events.nextOf('message.aborted')
    expect(await history()).toHaveLength(1)
    await expect.poll(metrics).toContain('natter_responder_turns_total{responder="webhook",outcome="silent"} 1')
  })

  it('streams the replies of a webhook and a model to open widgets', async () => {
    const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const elsewhere = await startTestServer(async (response, { path }) => {
      const isModel = path.endsWith('/chat/completions')
      const chunk = (text: string) =>
        `data: ${JSON.stringify(isModel ? { choices: [{ delta: { content: text } }] } : { text })}\n\n`
      const last = isModel ? 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n' : ''
      response.setHeader('content-type', 'text/event-stream').write(chunk('One '))
      await held[isModel ? 1 : 0]?.promise
      response.end(`${chunk('two.')}${last}data: [DONE]\n\n`)
    })
    const { use, say, events, reply } = await start({ openaiKey: 'sk-secret' })
    const kinds: ResponderSettings[] = [
      { kind: 'webhook', url: elsewhere.url, secret: webhookSecret },
      { kind: 'openai', baseUrl: elsewhere.url, model: 'small', prompt: '', history: 5 },
    ]
    for (const [index, responder] of kinds.entries()) {
      await use(responder)
      await say()
      expect((await events.nextOf('message.delta')).data).toMatchObject({ offset: 0, text: 'One ' })
      held[index]?.resolve()
      expect((await events.nextOf('message.delta')).data).toMatchObject({ offset: 4, text: 'two.' })
      expect((await reply()).text).toBe('One two.')
    }
  })

  it('shows that a model thinks, and what a webhook does; a stop then ends the request, without an apology', async () => {
    const elsewhere = await startTestServer((response, { path }) => {
      const first = path.endsWith('/chat/completions')
        ? { choices: [{ delta: { reasoning_content: 'The visitor asks' } }] }
        : { status: 'Looking up your order…' }
      response.setHeader('content-type', 'text/event-stream').write(`data: ${JSON.stringify(first)}\n\n`)
    })
    const { clock, use, say, stop, events, history, metrics } = await start({ openaiKey: 'sk-secret' })
    const typing = () => advanceUntil(clock, 20, events.nextOf('typing'))
    const shown = { openai: { thinking: true }, webhook: { status: 'Looking up your order…' } }
    const kinds: ResponderSettings[] = [
      { kind: 'openai', baseUrl: elsewhere.url, model: 'small', prompt: '', history: 5 },
      { kind: 'webhook', url: elsewhere.url, secret: webhookSecret },
    ]
    for (const [index, responder] of kinds.entries()) {
      await use(responder)
      await say()
      const { id } = (await typing()).data
      expect((await typing()).data).toEqual({ author: 'bot', id, ...shown[responder.kind as 'openai'] })
      await stop(id)
      await (await elsewhere.received(index + 1)).closed
      expect((await events.nextOf('message.aborted')).data).toEqual({ id })
      expect(await history()).toHaveLength(index + 1)
    }
    expect(await metrics()).not.toContain('outcome="failed"} 1')
  })

  it('apologizes if a responder fails, and tells the operator why, without secrets or messages', async () => {
    const broken = await startTestServer(response => response.writeHead(400).end('a secret answer'))
    const { tenants, use, say, reply, metrics } = await start({ openaiKey: 'sk-secret' })
    const url = `${broken.url}/path-secret?key=url-secret`
    const kinds: ResponderSettings[] = [
      { kind: 'webhook', url, secret: webhookSecret },
      { kind: 'openai', baseUrl: `${url}&x=`, model: 'small', prompt: 'a secret prompt', history: 5 },
      { kind: 'faq', content: '/nowhere' },
    ]
    for (const responder of kinds) {
      await use(responder)
      await say('a secret message')
      expect(await reply()).toMatchObject({ author: 'system', text: english.apology })
      expect(await metrics()).toContain(`{responder="${responder.kind}",outcome="failed"} 1`)
    }
    const lines = tenants.lines.filter(line => line.includes('a turn failed'))
    expect(lines).toHaveLength(3)
    expect(lines[0]).toContain(`The answer of ${broken.url} had status 400`)
    expect(lines[2]).toContain("/nowhere can't be read")
    expect(lines.join()).not.toMatch(/secret|whsec_/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ botId: tenants.ours.bot.id, responder: 'webhook' })
  })

  it('calls a webhook with the same id again after a crash', async () => {
    const webhook = await startTestServer((response, _, number) => number > 1 && response.writeHead(204).end())
    const { tenants, clock, useWebhook, say } = await start()
    await useWebhook(webhook)
    await say()
    const idOf = async (number: number) => (await webhook.received(number)).headers.get('webhook-id')
    const first = await idOf(1)
    await tenants.platform.close()
    const responder = await createResponders({ clock })
    onTestFinished(responder.close)
    tenants.addNode({ responder })
    expect(await idOf(2)).toBe(first)
  })

  it.each<[string, BotChanges, string, string]>([
    ['in English', {}, english.apology, english.retry],
    ['in the language of the bot', { locale: 'nb-NO' }, botTextsIn('nb').apology, 'Prøv igjen'],
    ['in the bot’s own words', { texts: { apology: 'Once more?', retry: 'Now' } }, 'Once more?', 'Now'],
  ])(
    'apologizes %s, and a retry in those words asks the question again with another id',
    async (_, bot, text, retry) => {
      const webhook = await startTestServer(response => response.writeHead(400).end())
      const { update, useWebhook, say, reply } = await start()
      await useWebhook(webhook)
      await update(bot)
      await say()
      expect(await reply()).toMatchObject({ author: 'system', text, quickReplies: [retry] })
      await say(retry)
      await reply()
      const asked = webhook.requests.map(({ body }) => (JSON.parse(body) as TurnRequest).data.messages.map(m => m.text))
      expect(asked).toEqual([['returns'], ['returns']])
      expect(new Set(webhook.requests.map(({ headers }) => headers.get('webhook-id'))).size).toBe(2)
    },
  )

  it('fails at the start if the content folder cannot be read, and reads a bot’s own folder again at the next turn', async () => {
    await expect(createResponders({ content: '/nowhere' })).rejects.toThrow("/nowhere can't be read")
    const { use, say, reply } = await start()
    const folder = join(contentFolder(''), 'later')
    await use({ kind: 'faq', content: folder })
    await say()
    expect((await reply()).text).toBe(english.apology)
    renameSync(contentFolder('Within 90 days.'), folder)
    await say()
    expect((await reply()).text).toBe('Within 90 days.')
  })

  it('answers from content that has changed since the start, in development', async () => {
    const content = contentFolder('Within 30 days.')
    const { say, reply } = await start({ content, reread: true })
    writeFileSync(join(content, 'returns.md'), '# Returns\n\nWithin 90 days.\n')
    await say()
    expect((await reply()).text).toBe('Within 90 days.')
  })
})
