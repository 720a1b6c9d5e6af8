import { basename, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'
import { root } from './processes.ts'

const esprima = 'node_modules/esprima/test/3rdparty'

/**
 * The published files of libraries that change built-in objects, from npm packages that contain them. Prototype.js 1.5
 * and MooTools 1.2, 1.5 and 1.6 are in no package. To test them too, set `NATTER_PAGE_LIBRARIES` to their paths, separated
 * by `:`.
 */
const libraries: Record<string, string> = {
  'Prototype.js 1.6.0': 'node_modules/flotr2/lib/prototype.js',
  'Prototype.js 1.6.1': `${esprima}/prototype-1.6.1.js`,
  'Prototype.js 1.7.0': `${esprima}/prototype-1.7.0.0.js`,
  'MooTools 1.3.2': `${esprima}/mootools-1.3.2.js`,
  'MooTools 1.4.1': `${esprima}/mootools-1.4.1.js`,
}
for (const path of process.env['NATTER_PAGE_LIBRARIES']?.split(':') ?? []) libraries[basename(path)] = path

/** Opens a page that loads the library first and the widget after it. */
async function openPage(page: Page, fakeSite: FakeSite, library: string | undefined, attributes = '') {
  await page.route('**/library.js', route =>
    route.fulfill({ contentType: 'text/javascript', path: resolve(root, `${library}`) }),
  )
  return openWithHtml(page, fakeSite, {
    head: '<title>Old</title><script src="/library.js"></script>',
    body: `<h1>Old</h1><a class="help" href="#help">Help</a>
      <script src="/natter.js" data-bot-id="bot" ${attributes}></script>`,
  })
}

for (const [name, library] of Object.entries(libraries)) {
  test(`a complete conversation works in a page that loads ${name}`, async ({ page, fakeSite, chat }) => {
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
}

test('with persist "session", a message that waits for the network survives a reload under Prototype.js 1.6.0', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openPage(page, fakeSite, libraries['Prototype.js 1.6.0'], 'data-persist="session"')
  await chat.open()
  await chat.say('Is anybody there?')
  fakeSite.platform.down = true
  await chat.send('It is me')
  await expect(chat.panel).toContainText('Waiting to send')
  await page.reload()
  fakeSite.platform.down = false
  await chat.open()
  await expect
    .poll(() => fakeSite.visitor().messages.map(({ text }) => text))
    .toEqual(['Is anybody there?', 'It is me'])
})

for (const name of ['Prototype.js 1.6.0', 'MooTools 1.3.2']) {
  test(`the site’s own launcher opens and closes the chat in a page that loads ${name}`, async ({
    page,
    fakeSite,
    chat,
  }) => {
    const errors = await openPage(page, fakeSite, libraries[name], 'data-launcher=".help"')
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
