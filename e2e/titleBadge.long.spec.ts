import type { Page } from '@playwright/test'
import { expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

// Each page has a visitor of its own.
const widget = (botId: string) =>
  `<script src="/natter.js" data-bot-id="${botId}" data-persist="memory" data-title-badge></script>`
const [firstWidget, secondWidget] = [widget('bot'), widget('second')]

/** Opens a page with these scripts, sends a message in each widget and closes it. Returns their conversations. */
async function openPage(page: Page, fakeSite: FakeSite, scripts: string) {
  await page.goto('about:blank')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(0)
  await openWithHtml(page, fakeSite, { head: '<title>Shop</title>', body: `<h1>Shop</h1>${scripts}` })
  const conversations = []
  for (const botId of ['bot', 'second'].filter(id => scripts.includes(`"${id}"`))) {
    const opened = fakeSite.platform.streams.size
    const widget = await page.evaluateHandle(
      id => Reflect.get(window, Symbol.for(`natter:${id}`)) as typeof window.Natter,
      botId,
    )
    await widget.evaluate(handle => handle.message({ text: 'Hello' }))
    await expect.poll(() => fakeSite.platform.streams.size).toBe(opened + 1)
    await widget.evaluate(handle => handle.close())
    conversations.push(fakeSite.visitor().messages)
  }
  return conversations
}

const titleOf = (page: Page) => page.evaluate(() => document.title)

/** A script of the page that rewrites the title on every change, and counts its writes. */
const titleRewriter = (rewrite: string) => `<script>
  window.writes = 0
  const rewrite = ${rewrite}
  new MutationObserver(() => {
    const next = rewrite(document.title)
    if (next === document.title) return
    window.writes++
    document.title = next
  }).observe(document.head, { subtree: true, childList: true, characterData: true })
</script>`

const writesIn = (page: Page) => page.evaluate(() => Reflect.get(window, 'writes'))

test('the badge gets along with scripts that write the title, and with a second widget', async ({ page, fakeSite }) => {
  await test.step('it comes after a prefix that a script of the page always adds', async () => {
    const script = titleRewriter(`title => (title.startsWith('+ ') ? title : '+ ' + title)`)
    const [messages = []] = await openPage(page, fakeSite, script + firstWidget)
    for (const title of ['+ (1) Shop', '+ (2) Shop']) {
      fakeSite.platform.say(messages, { text: 'Yes?' })
      await expect.poll(() => titleOf(page)).toBe(title)
    }
    await page.evaluate(() => window.Natter.destroy())
    await expect.poll(() => titleOf(page)).toBe('+ Shop')
  })
  await test.step('it gives up if a script of the page always restores the title', async () => {
    const [messages = []] = await openPage(page, fakeSite, titleRewriter(`() => 'Shop'`) + firstWidget)
    for (const writes of [2, 4]) {
      fakeSite.platform.say(messages, { text: 'Yes?' })
      await expect.poll(() => writesIn(page)).toBe(writes)
    }
    expect(await titleOf(page)).toBe('Shop')
  })
  await test.step('two widgets in one page show both numbers', async () => {
    const [first = [], second = []] = await openPage(page, fakeSite, firstWidget + secondWidget)
    fakeSite.platform.say(first, { text: 'Yes?' })
    await expect.poll(() => titleOf(page)).toBe('(1) Shop')
    fakeSite.platform.say(second, { text: 'Yes?' })
    fakeSite.platform.say(second, { text: 'What is it?' })
    await expect.poll(() => titleOf(page)).toBe('(2) (1) Shop')
    fakeSite.platform.say(first, { text: 'What is it?' })
    await expect.poll(() => titleOf(page)).toBe('(2) (2) Shop')
    await page.evaluate(() => window.Natter.destroy())
    await expect.poll(() => titleOf(page)).toBe('(2) Shop')
  })
  await test.step('it stays when the page changes its title, and is removed with the widget', async () => {
    const [messages = []] = await openPage(page, fakeSite, firstWidget)
    fakeSite.platform.say(messages, { text: 'Yes?' })
    await expect.poll(() => titleOf(page)).toBe('(1) Shop')
    for (const title of ['Basket – Shop', 'Checkout – Shop']) {
      await page.evaluate(next => {
        document.title = next
      }, title)
      await expect.poll(() => titleOf(page)).toBe(`(1) ${title}`)
    }
    await page.evaluate(() => window.Natter.destroy())
    expect(await titleOf(page)).toBe('Checkout – Shop')
  })
})
