import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { face, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { type Chat, expect, type Stage, test } from './stage.ts'
import { markdown } from './states.ts'

test('keeps to the initial where the page refuses the bot’s picture', async ({ page, stage, chat }) => {
  const looks: Buffer[] = []
  for (const avatar of ['', 'https://cdn.example/avatar.png', '/avatar.svg']) {
    stage.platform.intercept = (_, path) => (path === '' ? reply(200, { ...face, avatar }) : undefined)
    await page.goto(stage.url())
    await chat.open()
    await expect(chat.transcript).toContainText('Hello')
    const picture = chat.panel.locator('img')
    if (avatar.startsWith('/')) await expect(picture).not.toHaveJSProperty('naturalWidth', 0)
    else await expect(picture).toBeHidden()
    looks.push(await chat.panel.locator('.avatar').screenshot({ animations: 'disabled' }))
  }
  const [initial, refused, shown] = looks
  expect(refused).toEqual(initial)
  expect(shown).not.toEqual(initial)
})

/** Everything at once: long names, wide texts, buttons of all kinds. */
async function crowd({ page, stage, chat }: { page: Page; stage: Stage; chat: Chat }) {
  const { token, messages } = stage.contact('Ada Augusta King, Countess of Lovelace', 40)
  stage.platform.intercept = (method, path) => {
    if (path === '') return reply(200, { ...face, name: 'Acme Outfitters of the Highlands' })
    return method === 'POST' && path === '/messages' ? problem(400, 'invalid_body') : undefined
  }
  await page.goto(stage.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect(chat.transcript).toContainText('Message 40')
  stage.platform.say(messages, { text: markdown, format: 'markdown' })
  await expect(chat.transcript.getByRole('group', { name: 'Table' })).toBeVisible()
  await chat.send(`https://acme.example/${'a'.repeat(200)}`)
  await expect(chat.panel).toContainText('Not sent.')
  stage.platform.say(messages, {
    text: 'So?',
    quickReplies: ['Thanks', 'A reply that is so long that it needs two lines'],
  })
  await expect(chat.panel.getByText('So?')).toBeVisible()
}

/** Its controls that are smaller than `least` px in one direction; links in a text may be. */
const smaller = (page: Page, least: number) =>
  page.evaluate(least => {
    const controls = document.querySelector('[data-natter]')?.shadowRoot?.querySelectorAll('button, textarea') ?? []
    return [...controls]
      .filter(control => control.checkVisibility())
      .map(control => ({ name: control.ariaLabel || control.textContent, box: control.getBoundingClientRect() }))
      .filter(({ box }) => Math.min(box.width, box.height) < least)
      .map(({ name, box }) => `${name}: ${box.width} × ${box.height}`)
  }, least)

test.describe('at twice the pixels', () => {
  test.use({ deviceScaleFactor: 2 })

  test('has room at 200 % and 400 % zoom and at 320 px', async ({ page, stage, chat }) => {
    await crowd({ page, stage, chat })
    expect(await smaller(page, 24)).toEqual([])
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
      const tooWide = () =>
        chat.panel.evaluate(panel =>
          [document.documentElement, panel, ...panel.querySelectorAll('[part]')]
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ className }) => className),
        )
      expect(await tooWide(), `${width} × ${height}`).toEqual([])
      expect((await chat.transcript.boundingBox())?.height, `${width} × ${height}`).toBeGreaterThan(40)
    }
    // What is wider than its bubble scrolls by keys.
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

  test('is modal, and has room for fingers', async ({ page, stage, chat }) => {
    await crowd({ page, stage, chat })
    await expect(chat.panel).toHaveAttribute('aria-modal', 'true')
    const below = page.getByRole('button', { name: 'Of the page' })
    await below.focus()
    await expect(chat.composer).toBeFocused()

    expect(await smaller(page, 44)).toEqual([])
    await chat.panel.getByRole('button', { name: 'More' }).tap()
    await expect(chat.panel.getByRole('menu')).toBeVisible()
    expect(await smaller(page, 44)).toEqual([])
    expect((await new AxeBuilder({ page }).setLegacyMode().analyze()).violations).toEqual([])
    await page.keyboard.press('Escape')
    await chat.panel.getByRole('button', { name: 'Close chat' }).tap()
    await expect(chat.panel).toBeHidden()
    await below.focus()
    await expect(below).toBeFocused()
  })
})

test('keeps the header as high whatever it says, and Send in its colour under the pointer', async ({
  page,
  stage,
  chat,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(stage.url())
  await chat.open()
  await expect(chat.transcript).toContainText('Hello')
  const before = await chat.transcript.boundingBox()
  await chat.composer.fill('Hello')
  const send = chat.panel.getByRole('button', { name: 'Send' })
  await send.hover()
  await expect(send).toHaveCSS('background-color', 'rgb(59, 91, 219)')
  // Without a stream messages are fetched, and while that works all is well.
  stage.platform.intercept = (_, path) =>
    /^\/(events\/stream|messages\/list)$/.test(path) ? problem(503, 'unavailable') : undefined
  await send.click()
  await expect(chat.panel.getByRole('status').first()).toHaveText('Reconnecting…')
  expect(await chat.transcript.boundingBox()).toEqual(before)
})
