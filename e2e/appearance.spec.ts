import type { Page } from '@playwright/test'
import { botProfile, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { findViolations } from './axe.ts'
import { type Chat, expect, type FakeSite, test } from './fakeSite.ts'
import { markdown } from './states.ts'

/** Fills the panel with long names, wide texts and every kind of button. */
async function fillPanel({ page, fakeSite, chat }: { page: Page; fakeSite: FakeSite; chat: Chat }) {
  const { token, messages } = fakeSite.contact('Ada Augusta King, Countess of Lovelace', 40)
  fakeSite.platform.intercept = (method, path) => {
    if (path === '') return reply(200, { ...botProfile, name: 'Acme Outfitters of the Highlands' })
    return method === 'POST' && path === '/messages' ? problem(400, 'invalid_body') : undefined
  }
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect(chat.transcript).toContainText('Message 40')
  fakeSite.platform.say(messages, { text: markdown, format: 'markdown' })
  await expect(chat.transcript.getByRole('group', { name: 'Table' })).toBeVisible()
  await chat.send(`https://acme.example/${'a'.repeat(200)}`)
  await expect(chat.panel).toContainText('Not sent.')
  fakeSite.platform.say(messages, {
    text: 'So?',
    quickReplies: ['Thanks', 'A reply that is so long that it needs two lines'],
  })
  await expect(chat.panel.getByText('So?')).toBeVisible()
}

/** The controls that are narrower or lower than `minPx`. Links inside text are exempt. */
const findSmallControls = (page: Page, minPx: number) =>
  page.evaluate(minPx => {
    const controls = document.querySelector('[data-natter]')?.shadowRoot?.querySelectorAll('button, textarea') ?? []
    return [...controls]
      .filter(control => control.checkVisibility())
      .map(control => ({ name: control.ariaLabel || control.textContent, box: control.getBoundingClientRect() }))
      .filter(({ box }) => Math.min(box.width, box.height) < minPx)
      .map(({ name, box }) => `${name}: ${box.width} × ${box.height}`)
  }, minPx)

test.describe('with a device pixel ratio of 2', () => {
  test.use({ deviceScaleFactor: 2 })

  test('fits at 200 % and 400 % zoom and at 320 px', async ({ page, fakeSite, chat }) => {
    await fillPanel({ page, fakeSite, chat })
    expect(await findSmallControls(page, 24)).toEqual([])
    const close = chat.panel.getByRole('button', { name: 'Close chat' })
    for (const [width, height] of [
      [640, 360],
      [320, 640],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect(chat.panel).toHaveAttribute('aria-modal', 'true')
      for (const part of [chat.panel, chat.panel.getByRole('heading', { level: 2 }), close, chat.composer]) {
        await expect(part).toBeInViewport({ ratio: 1 })
      }
      const findOverflowing = () =>
        chat.panel.evaluate(panel =>
          [document.documentElement, panel, ...panel.querySelectorAll('[part]')]
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ className }) => className),
        )
      expect(await findOverflowing(), `${width} × ${height}`).toEqual([])
      expect((await chat.transcript.boundingBox())?.height, `${width} × ${height}`).toBeGreaterThan(40)
    }
    // Content wider than its bubble scrolls with the keyboard.
    for (const name of ['Table', 'Code']) {
      const group = chat.transcript.getByRole('group', { name })
      await group.focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => group.evaluate(element => element.scrollLeft)).toBeGreaterThan(0)
    }
  })
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })

  test('is modal, and its controls are large enough to tap', async ({ page, fakeSite, chat }) => {
    // What moves in is smaller on its way.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await fillPanel({ page, fakeSite, chat })
    await expect(chat.panel).toHaveAttribute('aria-modal', 'true')
    const pageButton = page.getByRole('button', { name: 'Of the page' })
    await pageButton.focus()
    await expect(chat.composer).toBeFocused()

    expect(await findSmallControls(page, 44)).toEqual([])
    await chat.panel.getByRole('button', { name: 'More' }).tap()
    await expect(chat.panel.getByRole('menu')).toBeVisible()
    expect(await findSmallControls(page, 44)).toEqual([])
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await chat.panel.getByRole('button', { name: 'Close chat' }).tap()
    await expect(chat.panel).toBeHidden()
    await pageButton.focus()
    await expect(pageButton).toBeFocused()
  })
})

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
