import type { Page } from '@playwright/test'
import { type Chat, expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

test.use({ hasTouch: true })

/** Opens a long page whose script handles scrolling like smooth-scroll libraries, and a long conversation on top. */
async function openPage(page: Page, fakeSite: FakeSite, chat: Chat) {
  const body = `<h1 style="height: 9000px">Long</h1><script>
      const scroll = event => {
        event.preventDefault()
        window.scrollTo(0, window.scrollY + (event.deltaY ?? 50))
      }
      for (const type of ['wheel', 'touchmove']) {
        window.addEventListener(type, scroll, { passive: false })
        document.addEventListener(type, event => event.preventDefault(), { passive: false })
      }
    </script><script src="/natter.js" data-bot-id="bot"></script>`
  await openWithHtml(page, fakeSite, { head: '<meta name="viewport" content="width=device-width">', body })
  const { token } = fakeSite.contact('Ada', 30)
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect(chat.transcript).toContainText('Message 30.')
}

const pageTop = (page: Page) => page.evaluate(() => window.scrollY)
const transcriptTop = (chat: Chat) => chat.transcript.evaluate(log => log.scrollTop)
const distanceToEnd = (chat: Chat) =>
  chat.transcript.evaluate(log => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight))

test('wheel and finger scroll the transcript and not the page under a smooth-scroll script', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openPage(page, fakeSite, chat)
  await test.step('the wheel', async () => {
    await chat.transcript.hover()
    await page.mouse.wheel(0, 9000)
    await expect.poll(() => distanceToEnd(chat)).toBe(0)
    // At the end of the transcript, the rest of the scroll is not passed on to the page.
    await page.mouse.wheel(0, 300)
    await page.mouse.wheel(0, -200)
    await expect.poll(() => distanceToEnd(chat)).toBeGreaterThan(0)
    expect(await pageTop(page)).toBe(0)
    await page.mouse.move(20, 20)
    await page.mouse.wheel(0, 300)
    await expect.poll(() => pageTop(page)).toBe(300)
  })
  await page.evaluate(() => window.scrollTo(0, 0))
  await test.step('a finger', async () => {
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
})
