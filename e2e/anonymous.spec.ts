import { expect, test } from './fixtures.ts'

const stored = () => ({ local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie })

test.describe('an anonymous visitor', () => {
  test('costs no request but the script and stores nothing until the widget is opened', async ({
    shop,
    page,
    platform,
  }) => {
    const requests: string[] = []
    page.on('request', request => {
      if (request.url().startsWith(platform.baseUrl)) requests.push(new URL(request.url()).pathname)
    })
    await shop.visit()
    await page.waitForLoadState('networkidle')
    expect(requests).toEqual(['/natter.js'])
    // A visitor who comes near costs static files: nothing is asked, and nothing stored.
    await shop.chat.launcher.hover()
    await shop.chat.launcher.focus()
    const nameOf = (path: string) => /^\/natter@[^/]*\/(.*)-.{8}\.js$/.exec(path)?.[1] ?? path
    await expect
      .poll(() => requests.slice(1).map(nameOf).sort())
      .toEqual(['Transcript', 'core', 'panel', 'preact', 'shared'])
    // Mounted: whatever else it might do, it would have begun.
    await expect(page.locator('[data-natter] .layer > div')).toBeAttached()
    expect(await page.evaluate(stored)).toEqual({ local: {}, session: {}, cookies: '' })
    expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
  })

  test('reads the greeting, asks, and sees the reply stream in', async ({ shop }) => {
    await shop.visit()
    const { chat } = shop
    await chat.open()
    await expect(chat.transcript).toContainText('Ask me about orders, returns or sizes.')
    await expect(chat.transcript).toContainText('What can I do for you?')
    // Seen by who looks now and then it may be over: it takes half a second.
    const begun = chat.transcript.evaluate(
      log =>
        new Promise<void>(resolve => {
          const look = () => log.ariaBusy === 'true' && resolve()
          new MutationObserver(look).observe(log, { attributeFilter: ['aria-busy'] })
        }),
    )
    await chat.send('How long do I have to return something?')
    await begun
    await expect(chat.transcript).toContainText(/30 days/)
    await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
  })

  test('sends a quick reply with one click', async ({ shop }) => {
    await shop.visit()
    await shop.chat.open()
    await shop.chat.panel.getByRole('button', { name: 'Size guide' }).click()
    await expect(shop.chat.transcript.getByText('Size guide')).toBeVisible()
    await expect(shop.chat.transcript).toContainText(/size/i)
  })

  test('finds the conversation and the draft again after a reload, and nobody else does', async ({
    shop,
    otherBrowser,
  }) => {
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

  test('ends the chat from the menu: it is empty, and its token dead', async ({ shop, page, platform }) => {
    await shop.visit()
    await shop.chat.open()
    await shop.chat.say('Do you ship to Norway?')
    const token = await page.evaluate(botId => localStorage.getItem(`natter:${botId}:identity`), platform.botId)
    expect(token).toMatch(/v:[0-9a-f]{64}/)
    const bearer = /v:[0-9a-f]{64}/.exec(token ?? '')?.[0] ?? ''
    await shop.chat.endChat()
    await expect(shop.chat.transcript).not.toContainText('Do you ship to Norway?')
    await expect
      .poll(async () => {
        const answer = await fetch(`${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`, {
          headers: { authorization: `Bearer ${bearer}` },
        })
        return answer.status
      })
      .toBe(401)
  })
})
