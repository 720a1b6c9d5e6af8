import type { Page } from '@playwright/test'
import { type Chat, expect, type FakeSite, test } from './fakeSite.ts'

test.use({ hasTouch: true })

/** Opens a long page with a script that does what smooth-scroll libraries do, and a long conversation over it. */
async function openPage(page: Page, fakeSite: FakeSite, chat: Chat) {
  const url = fakeSite.url()
  const body = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"></head>
    <body style="height: 9000px"><h1>Long</h1><script>
      const scroll = event => {
        event.preventDefault()
        window.scrollTo(0, window.scrollY + (event.deltaY ?? 50))
      }
      for (const type of ['wheel', 'touchmove']) {
        window.addEventListener(type, scroll, { passive: false })
        document.addEventListener(type, event => event.preventDefault(), { passive: false })
      }
    </script><script src="/natter.js" data-bot-id="bot"></script></body></html>`
  await page.route(url, route => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(url)
  const { token } = fakeSite.contact('Ada', 30)
  await page.evaluate(given => window.Natter.auth.contacts.login({ token: given }), token)
  await chat.open()
  await expect(chat.transcript).toContainText('Message 30.')
}

const pageTop = (page: Page) => page.evaluate(() => window.scrollY)
const transcriptTop = (chat: Chat) => chat.transcript.evaluate(log => log.scrollTop)
const distanceToEnd = (chat: Chat) =>
  chat.transcript.evaluate(log => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight))

test('the wheel scrolls the transcript and not the page under a smooth-scroll script', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openPage(page, fakeSite, chat)
  await chat.transcript.hover()
  await page.mouse.wheel(0, 9000)
  await expect.poll(() => distanceToEnd(chat)).toBe(0)
  // At its end the transcript doesn't hand the rest on to the page.
  await page.mouse.wheel(0, 300)
  await page.mouse.wheel(0, -200)
  await expect.poll(() => distanceToEnd(chat)).toBeGreaterThan(0)
  expect(await pageTop(page)).toBe(0)
  await page.mouse.move(20, 20)
  await page.mouse.wheel(0, 300)
  await expect.poll(() => pageTop(page)).toBe(300)
})

test('a finger scrolls the transcript and not the page under a smooth-scroll script', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openPage(page, fakeSite, chat)
  const { x, y } = (await chat.transcript.boundingBox()) ?? { x: 0, y: 0 }
  const client = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints })
  const before = await transcriptTop(chat)
  await touch('touchStart', { x: x + 100, y: y + 200 })
  for (let moved = 20; moved <= 120; moved += 20) await touch('touchMove', { x: x + 100, y: y + 200 - moved })
  await touch('touchEnd')
  await expect.poll(() => transcriptTop(chat)).toBeGreaterThan(before)
  expect(await pageTop(page)).toBe(0)
})
