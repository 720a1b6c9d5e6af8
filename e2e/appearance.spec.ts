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
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findViolations(page, { colors: colorScheme === 'dark' }), colorScheme).toEqual([])
    }
    await page.keyboard.press('Escape')
    await chat.panel.getByRole('button', { name: 'Close chat' }).tap()
    await expect(chat.panel).toBeHidden()
    await pageButton.focus()
    await expect(pageButton).toBeFocused()
  })
})
