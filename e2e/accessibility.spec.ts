import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { face, problem, reply } from '../src/widget/fakePlatform.ts'
import { en } from '../src/widget/strings/en.ts'
import { listen } from './announcements.ts'
import { type Chat, expect, type Stage, test } from './stage.ts'
import { markdown, talk } from './states.ts'

test('says by names and roles what is there, closed and open', async ({ page, stage, chat }) => {
  const ada = stage.contact('Ada Lovelace', 0)
  await page.goto(stage.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await expect.poll(() => stage.platform.streams.size).toBe(1)
  for (const text of ['Your order has left.', 'It arrives on Tuesday.']) {
    stage.platform.say(ada.messages, { text, quickReplies: ['Thanks'], createdAt: new Date().toISOString() })
  }
  await expect(page.getByRole('button', { expanded: false })).toHaveAccessibleName('Chat, 2 unread')
  await chat.launcher.press('Enter')
  await expect(chat.composer).toBeFocused()
  await expect(page.getByRole('button', { expanded: true })).toHaveAccessibleName('Chat')
  await expect(chat.panel).toMatchAriaSnapshot(`
    - dialog "Acme":
      - heading "Acme" [level=2]
      - status
      - button "More"
      - button "Close chat"
      - paragraph: Chatting as Ada Lovelace
      - status
      - log "Conversation":
        - text: Acme Good to see you, Ada Lovelace. Hello
        - paragraph: Today
        - paragraph: New messages
        - text: /Acme Your order has left. It arrives on Tuesday. [0-9].*/
        - button "Thanks"
      - textbox "Write a message"
      - button "Send" [disabled]
  `)
  await chat.panel.getByRole('button', { name: 'More' }).press('Enter')
  await expect(chat.panel.getByRole('button', { name: 'More' })).toHaveAttribute('aria-expanded', 'true')
  await expect(chat.panel.getByRole('menu')).toMatchAriaSnapshot(`
    - menu:
      - menuitemcheckbox "Sound for new messages"
      - menuitem "End chat"
  `)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(chat.panel).toBeHidden()
  await expect(chat.launcher).toBeFocused()
})

test('reads a reply aloud once, when it is complete, and never what the visitor writes', async ({
  page,
  stage,
  chat,
}) => {
  const { token, messages } = stage.contact('Ada Lovelace', 0)
  await page.goto(stage.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect.poll(() => stage.platform.streams.size).toBe(1)
  await listen(page)
  const announced = () => page.evaluate(() => window.announced.splice(0))
  for (const text of ['Where is my order?', 'And my refund?']) await chat.say(text)
  expect(await announced()).toEqual([])

  let text = ''
  for (let count = 0; count < 200; count++) {
    const word = `word${count} `
    stage.platform.emit(messages, { event: 'message.delta', data: { id: 'reply', offset: text.length, text: word } })
    text += word
  }
  await expect(chat.transcript).toContainText('word199')
  await expect(chat.transcript).toHaveAttribute('aria-busy', 'true')
  expect(await announced()).toEqual([])
  stage.platform.say(messages, { id: 'reply', text })
  await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
  const [said, ...more] = await announced()
  expect(said).toContain(`Acme ${text.trim()}`)
  expect(more).toEqual([])

  // A whole one as it comes.
  stage.platform.say(messages, { text: 'Anything else?' })
  await expect.poll(announced).toEqual([expect.stringMatching(/^Anything else\?/)])

  // What has been said before is not news.
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), stage.contact('Grace Hopper', 100).token)
  await expect(chat.transcript).toContainText('Message 100')
  await chat.transcript.evaluate(log => log.scrollTo(0, 0))
  await expect(chat.transcript).toContainText('Message 50.')
  expect((await announced()).join()).not.toMatch(/Message|Hello|Good to see you/)
})

test('goes by keys alone, and shows where the focus is', async ({ page, stage, chat }) => {
  await page.goto(stage.url())
  await chat.open()
  await talk({ page, stage, chat, words: en })
  const { messages } = stage.visitor()
  stage.platform.say(messages, { text: 'See https://acme.example', quickReplies: ['Thanks'] })
  stage.platform.say(messages, {
    text: '| Country | Price |\n|---|---|\n| Norway | 4.90 |\n\n```\nacme label\n```',
    format: 'markdown',
    quickReplies: ['Thanks'],
  })
  await expect(chat.transcript.getByRole('group', { name: 'Table' })).toBeVisible()
  await chat.composer.fill('A draft')
  await page.getByRole('button', { name: 'Of the page' }).focus()
  const stops: string[] = []
  for (let stop = 0; stop < 11; stop++) {
    await page.keyboard.press('Tab')
    stops.push(
      await page.evaluate(() => {
        const element = document.activeElement?.shadowRoot?.activeElement as HTMLElement
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
        const name = element.ariaLabel || element.innerText
        const seen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/, 0\)$/.test(outlineColor)
        return seen ? name : `${name}, unseen`
      }),
    )
  }
  expect(stops).toEqual([
    'Chat',
    'More',
    'Close chat',
    'Conversation',
    'https://acme.example',
    'Table',
    'Copy',
    'Code',
    'Thanks',
    'Write a message',
    'Send',
  ])
  await page.keyboard.press('Enter')
  await expect(chat.transcript.getByText('A draft')).toBeVisible()
  // The button that had the focus is disabled now.
  await page.keyboard.press('Shift+Tab')
  await expect(chat.composer).toBeFocused()
})

test('shows its parts where the system forces its colours', async ({ page, stage, chat }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(stage.url())
  const line = (part: Locator, kind: 'border-bottom' | 'outline') =>
    part.evaluate((element, kind) => {
      const style = getComputedStyle(element)
      return ['width', 'style', 'color'].map(end => style.getPropertyValue(`${kind}-${end}`)).join(' ')
    }, kind)
  // Not the transparent one that it has elsewhere.
  expect(await line(chat.launcher, 'outline')).toMatch(/^2px solid rgb\(/)
  await chat.open()
  await talk({ page, stage, chat, words: en })
  stage.platform.say(stage.visitor().messages, { text: 'Yes', quickReplies: ['Thanks'] })
  const bubbles = chat.transcript.locator('[part~=message]')
  await expect(bubbles).toHaveCount(3)
  const { panel, composer } = chat
  for (const part of [panel, composer, ...(await bubbles.all()), ...(await panel.getByRole('button').all())]) {
    expect(await line(part, 'border-bottom')).toMatch(/^1px solid rgba?\((?!0, 0, 0, 0\))/)
  }
  expect(await line(composer, 'outline')).toMatch(/^2px solid rgb/)
  await panel.getByRole('button', { name: 'More' }).press('Enter')
  expect(await line(panel.getByRole('menuitemcheckbox'), 'outline')).toMatch(/^2px solid rgb/)
})

test('moves nothing for who wants less motion', async ({ page, stage, chat }) => {
  await page.goto(stage.url())
  const animations = () =>
    page.evaluate(() => document.querySelector('[data-natter]')?.shadowRoot?.getAnimations().length)
  await chat.open()
  await talk({ page, stage, chat, words: en })
  stage.platform.emit(stage.visitor().messages, { event: 'typing', data: { author: 'bot' } })
  await expect(chat.transcript.getByRole('img', { name: 'Acme is typing' })).toBeVisible()
  expect(await animations()).toBe(3)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await animations()).toBe(0)
  await chat.composer.press('Escape')
  await chat.launcher.click()
  expect(await animations()).toBe(0)
})

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
  stage.platform.intercept = (_, path) => (path === '/events' ? problem(503, 'unavailable') : undefined)
  await send.click()
  await expect(chat.panel.getByRole('status').first()).toHaveText('Reconnecting…')
  expect(await chat.transcript.boundingBox()).toEqual(before)
})
