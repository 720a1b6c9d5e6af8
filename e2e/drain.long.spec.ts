import { createDatabase, startPostgres } from '../src/platform/testing/postgresServer.ts'
import { createDeployment } from './faults/deployment.ts'
import { Chat, expect, test } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'
import { startLoadBalancer } from './loadBalancer.ts'

test('a visitor notices nothing when nodes stop and restart one after the other', async ({ page }) => {
  test.slow()
  const postgres = await startPostgres()
  const deployment = await createDeployment({
    ...{ postgres: await createDatabase(postgres.url), nodes: 2, origin: '*' },
    answers: { 'How do I return something?': 'Within 30 days.' },
  })
  const balancer = await startLoadBalancer(deployment.apis.map(api => Number(new URL(api).port)))
  const site = await startHostPage({ baseUrl: balancer.baseUrl, botId: deployment.botId })
  try {
    const serve = (node: number) => deployment.serve({ NATTER_DRAIN: '2', NATTER_LOG_LEVEL: 'error' }, node)
    const nodes = await Promise.all([0, 1].map(serve))
    const chat = new Chat(page)
    await page.goto(site.url)
    await chat.open()
    await chat.ask('How do I return something?', /30 days/)

    const statusTexts: (string | null)[] = []
    await page.exposeFunction('recordStatus', (text: string | null) => void statusTexts.push(text))
    const status = chat.panel.getByRole('status').first()
    await status.evaluate(line => {
      const { recordStatus } = window as unknown as { recordStatus(text: string | null): void }
      const observer = new MutationObserver(() => recordStatus(line.textContent))
      observer.observe(line, { childList: true, characterData: true, subtree: true })
    })
    const streams: string[] = []
    page.on('request', request => void (request.url().endsWith('/events/stream') && streams.push(request.url())))
    const sent: string[] = []
    for (const [index, node] of nodes.entries()) {
      const leaving = { isGone: false }
      void node.ended.then(() => Object.assign(leaving, { isGone: true }))
      const stopped = node.stop('SIGTERM')
      while (!leaving.isGone) {
        const text = `Are you there, ${sent.length}?`
        sent.push(text)
        await chat.say(text)
      }
      await stopped
      await serve(index)
    }
    await chat.say('That is all.')
    for (const text of sent) await expect(chat.transcript.getByText(text, { exact: true })).toHaveCount(1)
    expect(streams.length).toBeGreaterThan(0)
    expect(statusTexts).toEqual([])
  } finally {
    await site.stop()
    await balancer.stop()
    await deployment.remove()
    await postgres.remove()
  }
})
