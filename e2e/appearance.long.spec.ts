import { botProfile, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { expect, test } from './fakeSite.ts'

test('keeps the height of the header and the place of the name, shows the initial until an avatar, and the colour of Send on hover', async ({
  page,
  fakeSite,
  chat,
  context,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const subtitle of ['', 'Answers at once']) {
    await test.step(`when a status comes, ${subtitle ? 'with' : 'without'} a subtitle`, async () => {
      fakeSite.platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, subtitle }) : undefined)
      await page.goto(fakeSite.url())
      await chat.open()
      await expect(chat.transcript).toContainText('Hello')
      await expect(chat.panel.locator('.header')).toContainText(subtitle)
      const boxes = () =>
        Promise.all(
          [chat.panel.locator('.header'), chat.panel.getByRole('heading', { level: 2 })].map(part =>
            part.boundingBox(),
          ),
        )
      const before = await boxes()
      const middleOf = (box: { y: number; height: number } | null | undefined) => box && box.y + box.height / 2
      // Alone, the name is beside the middle of the avatar.
      if (!subtitle)
        expect(middleOf(before[1])).toBe(middleOf(await chat.panel.locator('.avatar').first().boundingBox()))
      await context.setOffline(true)
      await expect(chat.panel.getByRole('status').first()).toHaveText('You’re offline')
      expect(await boxes()).toEqual(before)
      await context.setOffline(false)
    })
  }

  await test.step('when its text changes, and the colour of Send on hover', async () => {
    fakeSite.platform.intercept = () => undefined
    await page.goto(fakeSite.url())
    await chat.open()
    await expect(chat.transcript).toContainText('Hello')
    const before = await chat.transcript.boundingBox()
    await chat.composer.fill('Hello')
    const send = chat.panel.getByRole('button', { name: 'Send' })
    await send.hover()
    await expect(send).toHaveCSS('background-color', 'rgb(59, 91, 219)')
    // Without a stream the widget polls messages, and shows no problem while that works.
    fakeSite.platform.intercept = (_, path) =>
      /^\/(events\/stream|messages\/list)$/.test(path) ? problem(503, 'unavailable') : undefined
    await send.click()
    await expect(chat.panel.getByRole('status').first()).toHaveText('Reconnecting…')
    expect(await chat.transcript.boundingBox()).toEqual(before)
    await page.evaluate(() => window.Natter.destroy())
  })

  await test.step('shows the initial if the page’s policy blocks the bot’s avatar', async () => {
    const avatar = chat.panel.locator('.avatar')
    async function openWith(url: string): Promise<void> {
      fakeSite.platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, avatar: url }) : undefined)
      await page.goto(fakeSite.url())
      await chat.open()
      await expect(chat.transcript).toContainText('Hello')
      await expect(avatar).toHaveText('A')
    }
    const refused = page.waitForEvent('console', message => message.text().includes('https://cdn.example/avatar.png'))
    await openWith('https://cdn.example/avatar.png')
    await refused
    await expect(avatar.locator('img')).toHaveCount(0)
    await openWith('/avatar.svg')
    await expect(avatar.locator('img')).not.toHaveJSProperty('naturalWidth', 0)
    const coversInitial = await avatar.evaluate(element => {
      const { x, y, width, height } = element.getBoundingClientRect()
      const root = element.getRootNode() as ShadowRoot
      return root.elementFromPoint(x + width / 2, y + height / 2)?.tagName === 'IMG'
    })
    expect(coversInitial).toBe(true)
  })
})
