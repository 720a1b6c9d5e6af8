import { basename, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'
import { root } from './processes.ts'

/**
 * Libraries that change built-in objects: the published Prototype.js 1.7.0, from an npm package that contains it, and the files
 * that `NATTER_PAGE_LIBRARIES` names, separated by `:`.
 */
const libraries = [
  'node_modules/esprima/test/3rdparty/prototype-1.7.0.0.js',
  ...(process.env['NATTER_PAGE_LIBRARIES']?.split(':') ?? []),
]

/** Opens a page that loads the library first and the widget after it. */
async function openPage(page: Page, fakeSite: FakeSite, library: string, attributes = '') {
  await page.route('**/library.js', route =>
    route.fulfill({ contentType: 'text/javascript', path: resolve(root, library) }),
  )
  return openWithHtml(page, fakeSite, {
    head: '<title>Old</title><script src="/library.js"></script>',
    body: `<h1>Old</h1><a class="help" href="#help">Help</a>
      <script src="/natter.js" data-bot-id="bot" ${attributes}></script>`,
  })
}

for (const library of libraries) {
  test(`a complete conversation works in a page that loads ${basename(library)}`, async ({ page, fakeSite, chat }) => {
    const errors = await openPage(page, fakeSite, library)
    await chat.open()
    await chat.send('Is anybody there?')
    await expect(chat.panel).toContainText('Sent')
    await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
    const { messages } = fakeSite.visitor()
    expect(messages[0]?.text).toBe('Is anybody there?')
    fakeSite.platform.emit(messages, { event: 'message.delta', data: { id: 'm2', offset: 0, text: 'Ye' } })
    fakeSite.platform.say(messages, { text: 'Yes, **here**', format: 'markdown' })
    await expect(chat.transcript.getByText('Yes, here')).toHaveCount(1)
    await page.reload()
    await chat.open()
    await expect(chat.transcript).toContainText('Is anybody there?')

    const { token, messages: known } = fakeSite.contact('Ada', 3)
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
    await expect(chat.transcript).toContainText('Message 3.')
    await expect(chat.transcript).not.toContainText('Is anybody there?')
    await chat.send('It is me')
    await expect.poll(() => known.at(-1)?.text).toBe('It is me')
    await page.reload()
    await chat.open()
    await expect(chat.transcript).toContainText('It is me')
    expect(await page.evaluate(() => window.Natter.auth.contacts.current?.name)).toBe('Ada')

    await page.evaluate(() => window.Natter.auth.contacts.logout())
    await expect(chat.transcript).not.toContainText('It is me')
    await chat.composer.press('Escape')
    await expect(chat.panel).toHaveCount(0)
    await page.evaluate(() => window.Natter.destroy())
    await expect(chat.launcher).toHaveCount(0)
    expect(errors).toEqual([])
  })

  test(`the site’s own launcher opens and closes the chat in a page that loads ${basename(library)}`, async ({
    page,
    fakeSite,
    chat,
  }) => {
    const errors = await openPage(page, fakeSite, library, 'data-launcher=".help"')
    const help = page.getByRole('link', { name: 'Help' })
    for (const _ of ['first', 'again']) {
      await help.click()
      await expect(chat.composer).toBeFocused()
      await help.click()
      await expect(chat.panel).toHaveCount(0)
    }
    await expect(chat.launcher).toHaveCount(0)
    expect(errors).toEqual([])
  })
}
