import type { Browser } from '@playwright/test'
import { startLocalServer } from '../../../src/testServer.ts'
import { openProbe } from './browser.ts'
import { servePage } from './pages.ts'
import { startHome } from './platform.ts'

export const deltasPerSecond = 200
export const streamSeconds = 10

const lines = [
  'Here is **what we know** of your parcel:',
  '',
  '- it left our *warehouse* on Monday,',
  '- it was handed over [to the carrier](https://example.com/carrier),',
  '- and it should reach you on `Thursday`.',
  '',
  '| Place | When |',
  '|---|---|',
  '| Oslo | Monday |',
  '',
  '```js',
  "track('A-1042')",
  '```',
  '',
]
const pieces =
  Array.from({ length: 60 }, () => lines.join('\n'))
    .join('\n')
    .match(/.{1,6}/gs) ?? []

/** The longest task while a reply in Markdown streams in, or 0 if none took 50 ms. */
export async function measureStreaming(browser: Browser): Promise<{ longestTaskMs: number }> {
  const model = await startLocalServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.socket?.setNoDelay()
    const say = (piece: object | string) =>
      response.write(`data: ${typeof piece === 'string' ? piece : JSON.stringify(piece)}\n\n`)
    say({ format: 'markdown' })
    const start = performance.now()
    let said = 0
    const timer = setInterval(() => {
      const due = Math.min(((performance.now() - start) / 1000) * deltasPerSecond, streamSeconds * deltasPerSecond)
      for (; said < due; said++) say({ text: pieces[said % pieces.length] ?? '' })
      if (said < streamSeconds * deltasPerSecond) return
      clearInterval(timer)
      say('[DONE]')
      response.end()
    }, 5)
  })
  const home = await startHome('--responder', 'webhook', '--webhook-url', `${model.url}/`)
  const server = await servePage({ body: home.subject().embed })
  const context = await browser.newContext()
  const probe = await openProbe(context)
  const { page } = probe
  await page.goto(server.url)
  await page.evaluate(() => window.Natter.open())
  await page.locator('[role="dialog"] textarea').waitFor()
  await probe.atRest()

  const since = await probe.now()
  await page.evaluate(
    () =>
      new Promise<void>(resolve => {
        window.Natter.on('message', ({ author }) => author === 'bot' && resolve())
        window.Natter.message({ text: 'Where is my parcel?' })
      }),
  )
  await probe.atRest()
  const longestTaskMs = await probe.longestTask(since)
  await context.close()
  await Promise.all([server.stop(), home.stop()])
  await model.close()
  return { longestTaskMs }
}
