import { expect, test } from './fixtures.ts'

const readStorage = () => ({ local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie })

test.describe('an anonymous visitor', () => {
  test('causes no request except for the script and stores nothing until the widget is opened, then sees a streamed reply', async ({
    shop,
    page,
    platform,
  }) => {
    await test.step('causes no request and stores nothing until the widget is opened', async () => {
      const requests: string[] = []
      page.on('request', request => {
        if (request.url().startsWith(platform.baseUrl)) requests.push(new URL(request.url()).pathname)
      })
      await shop.visit()
      await page.waitForLoadState('networkidle')
      expect(requests).toEqual(['/natter.js'])
      // Hover or focus preloads static files, but calls no API and stores nothing.
      await shop.chat.launcher.hover()
      await shop.chat.launcher.focus()
      const nameOf = (path: string) => /^\/natter@[^/]*\/(.*)-.{8}\.js$/.exec(path)?.[1] ?? path
      await expect.poll(() => requests.slice(1).map(nameOf).sort()).toEqual(['core', 'more', 'panel', 'transcript'])
      // The panel is mounted, so any request would have been sent by now.
      await expect(page.locator('[data-natter] .layer > div')).toBeAttached()
      expect(await page.evaluate(readStorage)).toEqual({ local: {}, session: {}, cookies: '' })
      expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
    })

    await test.step('sees the greeting, asks a question, and sees the reply being streamed', async () => {
      const { chat } = shop
      await chat.open()
      await expect(chat.transcript).toContainText('Ask me about orders, returns or sizes.')
      await expect(chat.transcript).toContainText('What can I do for you?')
      // Streaming takes only half a second, so polling could miss it.
      const streamingStarted = chat.transcript.evaluate(
        log =>
          new Promise<void>(resolve => {
            const check = () => log.ariaBusy === 'true' && resolve()
            new MutationObserver(check).observe(log, { attributeFilter: ['aria-busy'] })
          }),
      )
      await chat.send('How long do I have to return something?')
      await streamingStarted
      await expect(chat.transcript).toContainText(/30 days/)
      await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
    })

    await test.step('sends a quick reply with one click', async () => {
      await shop.chat.endChat()
      await expect(shop.chat.transcript).not.toContainText(/30 days/)
      await shop.chat.panel.getByRole('button', { name: 'Size guide' }).click()
      await expect(shop.chat.transcript.getByText('Size guide')).toBeVisible()
      await expect(shop.chat.transcript).toContainText(/size/i)
    })
  })

  test('gets conversation and draft back after a reload, which another visitor does not, and ends the chat', async ({
    shop,
    otherBrowser,
    page,
    platform,
  }) => {
    await test.step('gets the conversation and the draft back after a reload, and another visitor does not', async () => {
      await shop.visit()
      await shop.chat.open()
      await shop.chat.ask('Which payment methods do you take?', /card/i)
      await shop.chat.composer.fill('A half-written thought')
      await shop.page.reload()
      await shop.chat.open()
      await expect(shop.chat.transcript).toContainText('Which payment methods do you take?')
      await expect(shop.chat.composer).toHaveValue('A half-written thought')

      const other = await otherBrowser()
      await other.visit()
      await other.chat.open()
      await expect(other.chat.transcript).toContainText('What can I do for you?')
      await expect(other.chat.transcript).not.toContainText('payment methods')
    })

    await test.step('ends the chat from the menu, which clears it and revokes its token', async () => {
      await shop.chat.say('Do you ship to Norway?')
      const stored = await page.evaluate(botId => localStorage.getItem(`natter:${botId}:identity`), platform.botId)
      expect(stored).toMatch(/v:[0-9a-f]{64}/)
      const token = /v:[0-9a-f]{64}/.exec(stored ?? '')?.[0] ?? ''
      await shop.chat.endChat()
      await expect(shop.chat.transcript).not.toContainText('Do you ship to Norway?')
      await expect
        .poll(async () => {
          const response = await fetch(`${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`, {
            headers: { authorization: `Bearer ${token}` },
          })
          return response.status
        })
        .toBe(401)
    })
  })
})
