import type { Locator } from '@playwright/test'
import { en } from '../src/widget/i18n/en.ts'
import { recordAnnouncements } from './announcements.ts'
import { expect, test } from './fakeSite.ts'
import { startConversation } from './scenarioContext.ts'

test('has correct roles and accessible names, closed and open', async ({ page, fakeSite, chat }) => {
  const ada = fakeSite.contact('Ada Lovelace', 0)
  // A fixed time: at midnight the heading would no longer be "Today".
  const createdAt = '2026-03-14T11:00:00.000Z'
  await page.clock.setFixedTime(createdAt)
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  for (const text of ['Your order has left.', 'It arrives on Tuesday.']) {
    fakeSite.platform.say(ada.messages, { text, quickReplies: ['Thanks'], createdAt })
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
      - status:
        - paragraph: Chatting as Ada Lovelace
      - log "Conversation":
        - article "Acme": Acme Good to see you, Ada.
        - article "Acme": Hello
        - paragraph: Today
        - paragraph: New messages
        - article /Acme, [0-9].*/: Acme Your order has left.
        - article /Acme, [0-9].*/: /It arrives on Tuesday. [0-9].*/
        - button "Thanks"
      - textbox "Write a message"
      - button "Send" [disabled]
  `)
  await chat.panel.getByRole('button', { name: 'More' }).press('Enter')
  await expect(chat.panel.getByRole('button', { name: 'More' })).toHaveAttribute('aria-expanded', 'true')
  await expect(chat.panel.getByRole('menu')).toMatchAriaSnapshot(`
    - menu:
      - menuitemcheckbox "Sound for new messages"
  `)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(chat.panel).toBeHidden()
  await expect(chat.launcher).toBeFocused()
})

test('announces a reply once, when it is complete, and never what the visitor writes', async ({
  page,
  fakeSite,
  chat,
}) => {
  const { token, messages } = fakeSite.contact('Ada Lovelace', 0)
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  await expect(chat.transcript).toContainText('Hello')
  await recordAnnouncements(page)
  const announced = () => page.evaluate(() => window.announced.splice(0))
  for (const text of ['Where is my order?', 'And my refund?']) await chat.say(text)
  expect(await announced()).toEqual([])

  let text = ''
  for (let count = 0; count < 200; count++) {
    const word = `word${count} `
    fakeSite.platform.emit(messages, { event: 'message.delta', data: { id: 'reply', offset: text.length, text: word } })
    text += word
  }
  await expect(chat.transcript).toContainText('word199')
  await expect(chat.transcript).toHaveAttribute('aria-busy', 'true')
  expect(await announced()).toEqual([])
  fakeSite.platform.say(messages, { id: 'reply', text })
  await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
  const [first, ...more] = await announced()
  expect(first).toContain(`Acme ${text.trim()}`)
  expect(more).toEqual([])

  // A reply that was not streamed is announced when it arrives.
  fakeSite.platform.say(messages, { text: 'Anything else?' })
  await expect.poll(announced).toEqual([expect.stringMatching(/^Anything else\?/)])

  // Earlier messages are not announced.
  await page.evaluate(
    token => window.Natter.auth.contacts.login({ token }),
    fakeSite.contact('Grace Hopper', 100).token,
  )
  await expect(chat.transcript).toContainText('Message 100')
  await chat.transcript.evaluate(log => log.scrollTo(0, 0))
  await expect(chat.transcript).toContainText('Message 50.')
  expect((await announced()).join()).not.toMatch(/Message|Hello|Good to see you/)
})

test('can be used with the keyboard alone, with a visible focus that stays where it belongs', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('leaves the focus in a field of the page where the visitor started to type while the panel was loading', async () => {
    const held = Promise.withResolvers<void>()
    await page.route('**/panel-*', async route => {
      await held.promise
      await route.continue()
    })
    await page.goto(fakeSite.url())
    await page.evaluate(() => document.body.append(Object.assign(document.createElement('input'), { name: 'search' })))
    const field = page.locator('input')
    await chat.launcher.click()
    await field.pressSequentially('boo')
    held.resolve()
    await expect(chat.panel).toBeVisible()
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    await expect(field).toBeFocused()
    await field.pressSequentially('ts')
    await expect(field).toHaveValue('boots')
    await field.evaluate(element => element.remove())
  })

  await test.step('can be used with the keyboard alone, with a visible focus', async () => {
    await startConversation({ page, fakeSite, chat, strings: en })
    const { messages } = fakeSite.visitor()
    fakeSite.platform.say(messages, { text: 'See https://acme.example', quickReplies: ['Thanks'] })
    fakeSite.platform.say(messages, {
      text: '| Country | Price |\n|---|---|\n| Norway | 4.90 |\n\n```\nacme label\n```',
      format: 'markdown',
      quickReplies: ['Thanks'],
    })
    // Each of these has a chunk of its own.
    await expect(chat.transcript.getByRole('group', { name: 'Table' })).toBeVisible()
    await expect(chat.transcript.getByRole('link', { name: 'https://acme.example' })).toBeVisible()
    await expect(chat.panel.getByRole('button', { name: 'More' })).toBeVisible()
    await expect(chat.panel.getByRole('button', { name: 'Thanks' })).toBeVisible()
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
          const isVisible = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/, 0\)$/.test(outlineColor)
          return isVisible ? name : `${name}, not visible`
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
    // The button that had the focus is now disabled, and would keep Escape from the panel.
    await expect(chat.composer).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(chat.panel).toHaveCount(0)
    await expect(chat.launcher).toBeFocused()
  })

  await test.step('keeps the focus in the panel when what has it is replaced, and takes it from nothing else', async () => {
    await chat.open()
    const { messages } = fakeSite.visitor()
    const quickReply = async (text: string) => {
      fakeSite.platform.say(messages, { quickReplies: [text] })
      const button = chat.panel.getByRole('button', { name: text })
      await button.focus()
      return button
    }
    await quickReply('Yes')
    const other = await quickReply('No')
    await expect(other).toBeFocused()
    fakeSite.platform.say(messages, { text: 'Never mind.', quickReplies: ['Thanks'] })
    await expect(chat.transcript).toBeFocused()
    await (await quickReply('Bye')).evaluate(button => (button as HTMLElement).blur())
    fakeSite.platform.say(messages, { text: 'Take care.' })
    await expect(chat.transcript).toContainText('Take care.')
    await expect(page.locator('body')).toBeFocused()
  })
})

test('follows what the visitor prefers: no motion, forced colours, more contrast', async ({ page, fakeSite, chat }) => {
  await test.step('animates nothing when the visitor prefers reduced motion', async () => {
    await page.goto(fakeSite.url())
    const animations = () =>
      page.evaluate(() => document.querySelector('[data-natter]')?.shadowRoot?.getAnimations().length)
    await chat.open()
    await startConversation({ page, fakeSite, chat, strings: en })
    fakeSite.platform.emit(fakeSite.visitor().messages, { event: 'typing', data: { author: 'bot' } })
    await expect(chat.transcript.getByRole('img', { name: 'Acme is typing' })).toBeVisible()
    // The messages have moved in.
    await expect.poll(animations).toBe(3)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await animations()).toBe(0)
    const begun = await page.evaluateHandle(() => {
      const count = { animations: 0 }
      document.querySelector('[data-natter]')?.shadowRoot?.addEventListener('animationstart', () => count.animations++)
      return count
    })
    await chat.composer.press('Escape')
    await chat.launcher.click()
    await expect(chat.composer).toBeFocused()
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    expect(await begun.jsonValue()).toEqual({ animations: 0 })
  })

  await test.step('keeps borders and outlines visible in forced-colours mode', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    const lineStyle = (part: Locator, kind: 'border-bottom' | 'outline') =>
      part.evaluate((element, kind) => {
        const style = getComputedStyle(element)
        return ['width', 'style', 'color'].map(end => style.getPropertyValue(`${kind}-${end}`)).join(' ')
      }, kind)
    // In other modes this outline is transparent.
    expect(await lineStyle(chat.launcher, 'outline')).toMatch(/^2px solid rgb\(/)
    fakeSite.platform.say(fakeSite.visitor().messages, { text: 'Yes', quickReplies: ['Thanks'] })
    const bubbles = chat.transcript.locator('[part~=message]')
    await expect(bubbles).toHaveCount(3)
    const { panel, composer } = chat
    await composer.focus()
    for (const part of [panel, composer, ...(await bubbles.all()), ...(await panel.getByRole('button').all())]) {
      expect(await lineStyle(part, 'border-bottom')).toMatch(/^1px solid rgba?\((?!0, 0, 0, 0\))/)
    }
    expect(await lineStyle(composer, 'outline')).toMatch(/^3px solid rgb/)
    await panel.getByRole('button', { name: 'More' }).press('Enter')
    expect(await lineStyle(panel.getByRole('menuitemcheckbox'), 'outline')).toMatch(/^2px solid rgb/)
    await page.keyboard.press('Escape')
  })

  await test.step('draws lines and small text in the colour of the text when the visitor prefers more contrast', async () => {
    await page.emulateMedia({ forcedColors: 'none', contrast: 'no-preference' })
    await page.getByRole('button', { name: 'Of the page' }).focus()
    const colors = () =>
      chat.panel.evaluate(panel => {
        const style = (selector: string) => getComputedStyle(panel.querySelector(selector) as Element)
        return {
          ink: getComputedStyle(panel).color,
          status: style('.status').color,
          field: style('textarea').borderTopColor,
          line: style('.header').borderBottomColor,
        }
      })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, contrast: 'no-preference' })
      const usual = await colors()
      expect(new Set(Object.values(usual)).size, colorScheme).toBe(4)
      await page.emulateMedia({ contrast: 'more' })
      const { ink } = usual
      expect(await colors(), colorScheme).toEqual({ ink, status: ink, field: ink, line: ink })
    }
  })

  await test.step('has an edge around the number of unread messages in forced-colours mode', async () => {
    await page.emulateMedia({ forcedColors: 'active', contrast: 'no-preference' })
    const ada = fakeSite.contact('Ada Lovelace', 0)
    await page.goto(fakeSite.url({ preview: 'false' }))
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
    await expect.poll(() => [...fakeSite.platform.streams].map(({ token }) => token)).toEqual([ada.token])
    fakeSite.platform.say(ada.messages, { text: 'Hello again.' })
    const badge = page.locator('.badge')
    await expect(badge).toHaveText('1')
    const { edge, edgeColor, background } = await badge.evaluate(element => {
      const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element)
      return { edge: `${borderTopWidth} ${borderTopStyle}`, edgeColor: borderTopColor, background: backgroundColor }
    })
    expect(edge).toBe('2px solid')
    expect(edgeColor).toMatch(/^rgb\(/)
    expect(edgeColor).not.toBe(background)
  })
})
