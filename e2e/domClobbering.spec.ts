import { Chat, expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import type { Platform } from './processes.ts'

// DOM clobbering: an element with a `name` hides the document's property of that name.

const script = ({ baseUrl, botId }: Platform, attributes = '') =>
  `<script src="${baseUrl}/natter.js" data-bot-id="${botId}" ${attributes}></script>`

const names = [
  'currentScript',
  'Natter',
  'body',
  'head',
  'documentElement',
  'createElement',
  'activeElement',
  'querySelector',
  'querySelectorAll',
  'addEventListener',
  'readyState',
  'hidden',
  'createDocumentFragment',
]

test('the chat works although elements of the page have the names of what it uses', async ({ page, platform }) => {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  const elements = names.map(name => `<form name="${name}" id="${name}"></form><img name="${name}" alt="">`).join('')
  await openHtmlPage(page, `<body>${elements}<button class="help">Help</button>${script(platform)}`)
  const chat = new Chat(page)
  // Not Playwright's own click, which the clobbered names would confuse as well.
  await chat.launcher.evaluate((launcher: HTMLElement) => launcher.click())
  await expect(chat.composer).toBeVisible()
  await page.evaluate(() => window.Natter.message({ text: 'How do I return something?' }))
  await expect(chat.transcript).toContainText('30 days')
  await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
  // The complete messages were visible, so none is unread.
  await chat.launcher.evaluate((launcher: HTMLElement) => launcher.click())
  await expect(chat.panel).toHaveCount(0)
  await expect(chat.launcher).toHaveAccessibleName('Chat')
  expect(await page.evaluate(() => [...document.forms].filter(form => form.childElementCount > 0).length)).toBe(0)
  await openHtmlPage(
    page,
    `<body>${elements}<button class="help">Help</button>${script(platform, 'data-launcher=".help"')}`,
  )
  await page.evaluate(() => window.Natter.ready)
  await page.getByRole('button', { name: 'Help' }).evaluate((help: HTMLElement) => help.click())
  await expect(chat.composer).toBeVisible()
  expect(errors).toEqual([])

  await test.step('the launcher works although an element is named createElementNS, and a warning explains why the panel cannot load', async () => {
    const warnings: string[] = []
    page.on('console', line => warnings.push(line.text()))
    await openHtmlPage(page, `<body><img name="createElementNS" alt="">${script(platform)}`)
    const chat = new Chat(page)
    await chat.launcher.click()
    await expect(chat.launcher).toHaveAccessibleName('Couldn’t load the chat. Retry')
    await expect.poll(() => warnings.join()).toContain('has the name or id createElementNS')
  })
})
