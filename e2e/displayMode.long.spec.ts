import { boxOf, converseByFile, InlineChat, script, target, version } from './displayModes.ts'
import { Chat, expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'

test('an inline chat is not modal and does not take the focus even if its translation loads late', async ({
  page,
  platform,
}) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/de-.{6}\.js/, route => held.then(() => route.continue()))
  const requested = page.waitForRequest(/\/de-/)
  const tag = script(platform, 'data-mode="inline" data-target="#chat" data-locale="de"')
  await openHtmlPage(page, `${target}${tag}<script>Natter.on('open', () => { window.opened = true })</script>`)
  await requested
  await page.waitForFunction('window.opened')
  release()
  const chat = new InlineChat(page)
  await expect(chat.panel).toBeVisible()
  await expect(page.locator('input[autofocus]')).toBeFocused()
  await expect(chat.panel).not.toHaveAttribute('aria-modal')
})

test('an inline chat is not modal on a small screen either, and floats if its chunk or target is missing', async ({
  page,
  platform,
}) => {
  await test.step('is not modal on a small screen either', async () => {
    await page.setViewportSize({ width: 360, height: 640 })
    const small = target.replace('500px', 'auto')
    await openHtmlPage(page, script(platform, 'data-mode="inline" data-target="#chat"') + small)
    const chat = new InlineChat(page)
    await expect(chat.panel).toBeVisible()
    expect(await boxOf(page, '.panel')).toEqual(await boxOf(page, '#chat'))
    await expect(chat.transcript).toContainText('What can I do for you?')
    expect(await page.locator('p', { hasText: 'After' }).evaluate(element => (element as HTMLElement).inert)).toBe(
      false,
    )
  })

  await test.step('floats if its chunk cannot be loaded or the target does not exist, which causes a warning', async () => {
    const warnings: string[] = []
    page.on('console', line => warnings.push(line.text()))
    const tag = script(platform, 'data-mode="inline" data-target="#nowhere"')
    await openHtmlPage(page, tag)
    const chat = new Chat(page)
    await chat.open()
    await expect.poll(() => warnings.join()).toContain('No element of the page matches the option `target`')
    await page.route('**/displayMode-*.js*', route => route.abort())
    await openHtmlPage(page, script(platform, 'data-mode="inline" data-target="#chat"') + target)
    await chat.open()
  })
})

test('the script of a pinned version works with its integrity hash, and fetches the chunks of that version', async ({
  page,
  platform,
}) => {
  const requests = await converseByFile(page, platform, 'natter.js')
  for (const chunk of ['core', 'panel']) expect(requests.join()).toContain(`/${chunk}-`)
  for (const path of requests) expect(path).toMatch(new RegExp(`^/natter@${version}/`))
})

test('the script, included for two bots, makes two widgets, and `Natter` is the first one', async ({
  page,
  platform,
}) => {
  const other = { ...platform, botId: 'another' }
  const first = script(platform, 'data-position="start"')
  await openHtmlPage(page, first + script(other) + first)
  await expect(page.locator('[data-natter]')).toHaveCount(2)
  await expect(page.locator('[part~=launcher]')).toHaveCount(2)
  await page.evaluate(() => window.Natter.open())
  await expect(page.locator(`[data-natter="${platform.botId}"] .panel`)).toBeVisible()
  await page.evaluate(() => window.Natter.destroy())
  await expect(page.locator('[data-natter]')).toHaveCount(1)
})
