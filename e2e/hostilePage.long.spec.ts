import type { Page } from '@playwright/test'
import { type Chat, expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

/** Opens a page with this in its head, and the widget. Returns its uncaught errors. */
const openPage = (
  page: Page,
  fakeSite: FakeSite,
  head = '',
  script = '<script src="/natter.js" data-bot-id="bot"></script>',
) => openWithHtml(page, fakeSite, { head, body: `<h1>Hostile</h1>${script}` })

/** A complete conversation: a message, a reply, a reload that restores both, and the end of the chat. */
async function converse(page: Page, fakeSite: FakeSite, chat: Chat) {
  await chat.open()
  await chat.send('Is anybody there?')
  await expect(chat.panel).toContainText('Sent')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  fakeSite.platform.emit(messages, { event: 'message.delta', data: { id: 'm2', offset: 0, text: 'Ye' } })
  fakeSite.platform.say(messages, { text: 'Yes, here' })
  await expect(chat.transcript.getByText('Yes, here')).toHaveCount(1)
  await page.reload()
  await chat.open()
  await expect(chat.transcript).toContainText('Is anybody there?')
  await chat.endChat()
  await expect(chat.transcript).not.toContainText('Is anybody there?')
}

/** The pages' `<head>`. The real Prototype.js is tested in oldLibraries.spec.ts. */
const pages = {
  'that styles every element with !important': `<script>
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('* { all: unset !important; display: block !important; opacity: 0 !important; position: static !important }')
    document.adoptedStyleSheets = [sheet]
  </script>`,
  'that adds to the built-in prototypes and replaces built-in functions': `<script>
    for (const each of [Object, Array, String, Function]) each.prototype.ofThePage = () => { throw new Error('of the page') }
    Object.prototype.each = Object.prototype.extend = 'of the page'
    Array.prototype.toJSON = Array.prototype.inspect = function () { return '[' + this.join() + ']' }
    Array.from = item => (item == null ? [] : typeof item == 'object' && 'length' in item ? [].slice.call(item) : [item])
    window.Promise = class extends Promise {}
    const { fetch } = window
    window.fetch = function (...given) { return fetch.apply(this, given).then(answer => answer) }
    const { addEventListener } = EventTarget.prototype
    EventTarget.prototype.addEventListener = function (type, listener, options) {
      return addEventListener.call(this, type, typeof listener == 'function' ? event => listener.call(this, event) : listener, options)
    }
  </script>`,
  'that has a read-only Natter of its own': `<script>
    Object.defineProperty(window, 'Natter', { value: Object.freeze({ ofThePage: true }), writable: false })
  </script>`,
}

test('a complete conversation works in a hostile page', async ({ page, fakeSite, chat }) => {
  for (const [what, html] of Object.entries(pages)) {
    await test.step(`a page ${what}`, async () => {
      const errors = await openPage(page, fakeSite, html)
      const box = await chat.launcher.boundingBox()
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
      expect(box).toMatchObject({ width: 56, height: 56, x: width - 76, y: height - 76 })
      await converse(page, fakeSite, chat)
      expect(errors).toEqual([])
    })
  }

  await test.step('a page that freezes the built-in prototypes after loading the widget', async () => {
    const freeze = `<script>
    Natter.on('open', () => {
      for (const each of [Object, Array, Function, Promise, Map, Set, String, Element, Node, EventTarget, Event, Error])
        Object.freeze(each) && Object.freeze(each.prototype)
    })
  </script>`
    const errors = await openPage(page, fakeSite, '', `<script src="/natter.js" data-bot-id="bot"></script>${freeze}`)
    await converse(page, fakeSite, chat)
    expect(errors).toEqual([])
  })
})

test('a page that includes the script twice has one chat, which neither moves the page nor triggers its keyboard shortcuts', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('a page that includes the script twice has one chat, which reappears after the page has removed it', async () => {
    const script = '<script src="/natter.js" data-bot-id="bot"></script>'
    const errors = await openPage(page, fakeSite, '', script + script)
    await chat.open()
    await expect(chat.launcher).toHaveCount(1)
    await page.evaluate(() => {
      document.querySelector('[data-natter]')?.remove()
      window.Natter.close()
      window.Natter.open()
    })
    await expect(chat.composer).toBeFocused()
    await chat.composer.press('Escape')
    await converse(page, fakeSite, chat)
    expect(errors).toEqual([])
  })

  await test.step('typing in the chat triggers no keyboard shortcuts of the page', async () => {
    const search = '<input aria-label="Search">'
    const shortcuts = `<script>
    for (const type of ['keydown', 'keypress', 'keyup'])
      document.addEventListener(type, event => {
        if (event.target.localName == 'input') return
        if (!['keydownj', 'keypressm', 'keyupa', 'keydown/', 'keydownEscape'].includes(type + event.key)) return
        event.preventDefault()
        document.querySelector('input').focus()
      })
  </script>`
    await openPage(page, fakeSite, search + shortcuts)
    await chat.open()
    await page.keyboard.type('jam and/or juice')
    await expect(chat.composer).toHaveValue('jam and/or juice')
    await page.keyboard.press('Tab')
    await expect(chat.panel.getByRole('button', { name: 'Send' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(chat.launcher).toBeFocused()
    await page.keyboard.press('/')
    await expect(page.getByRole('textbox')).toBeFocused()
  })

  await test.step('the chat takes no place in the layout of a flexible body', async () => {
    await openWithHtml(page, fakeSite, {
      head: '<style>body { display: flex; flex-direction: column; justify-content: space-between; min-height: 90vh }</style>',
      body: '<header>Shop</header><footer>Imprint</footer><script src="/natter.js" data-bot-id="bot"></script>',
    })
    const footer = page.getByText('Imprint')
    await expect(chat.launcher).toBeVisible()
    const before = await footer.boundingBox()
    // Loads the panel.
    await chat.launcher.hover()
    await page.evaluate(() => window.Natter.preload())
    await expect(page.locator('.mount')).toHaveCount(1)
    expect(await footer.boundingBox()).toEqual(before)
    await chat.open()
    expect(await footer.boundingBox()).toEqual(before)
  })
})
