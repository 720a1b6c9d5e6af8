import type { BrowserContext, Page } from '@playwright/test'
import { expect, Shop, test } from './fixtures.ts'

async function openTabs(context: BrowserContext, first: Shop, count: number): Promise<Shop[]> {
  const tabs = [first]
  await first.visit()
  await first.signIn('Ada')
  while (tabs.length < count) {
    const tab = new Shop(await context.newPage(), first.address)
    await tab.visit()
    await expect(tab.state).toContainText('identified as Ada')
    tabs.push(tab)
  }
  for (const tab of tabs) await tab.chat.open()
  return tabs
}

const leader = (page: Page) =>
  page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query()
    return held.filter(({ name }) => name?.startsWith('natter:')).map(({ clientId }) => clientId)
  })

const shownByAll = async (tabs: Shop[], words: string) => {
  for (const tab of tabs) await expect(tab.chat.transcript.getByText(words)).toHaveCount(1, { timeout: 15_000 })
}

test.describe('tabs that share a stream', () => {
  test('are ten on a host with six connections, and each shows what one says', async ({ shop, context }) => {
    test.setTimeout(90_000)
    const tabs = await openTabs(context, shop, 10)
    for (const at of [0, 9]) {
      const words = `From tab ${at} ${crypto.randomUUID()}`
      await tabs[at]?.chat.say(words)
      await shownByAll(tabs, words)
    }
    expect(await leader(shop.page)).toHaveLength(1)
  })

  for (const how of ['closed', 'crashed']) {
    test(`go on when the one that leads is ${how}`, async ({ shop, context }) => {
      const [first, ...rest] = (await openTabs(context, shop, 3)) as [Shop, Shop, Shop]
      // Who has sent something leads.
      await first.chat.say(`Before ${crypto.randomUUID()}`)
      if (how === 'closed') await first.page.close()
      else await first.page.goto('chrome://crash').catch(() => {})
      const words = `After ${crypto.randomUUID()}`
      await rest[1].chat.say(words)
      await shownByAll(rest, words)
    })
  }

  test('go on when the one that leads is frozen, which shows all when it thaws', async ({ shop, context }) => {
    test.setTimeout(120_000)
    const [first, ...rest] = (await openTabs(context, shop, 3)) as [Shop, Shop, Shop]
    await first.chat.say(`Before ${crypto.randomUUID()}`)
    const before = await leader(rest[0].page)
    const devtools = await context.newCDPSession(first.page)
    // Chromium freezes no page that is in sight; a debugger stops it all the same, at whatever it would do next.
    await devtools.send('Debugger.enable')
    await devtools.send('Debugger.pause')
    // Nobody does anything: the silence alone is what they notice.
    await expect.poll(() => leader(rest[0].page), { timeout: 60_000 }).not.toEqual(before)
    const words = `While one is frozen ${crypto.randomUUID()}`
    await rest[1].chat.say(words)
    await shownByAll(rest, words)
    await devtools.send('Debugger.disable')
    await shownByAll([first, ...rest], words)
  })

  test('show one draft', async ({ shop, context }) => {
    const [first, second] = (await openTabs(context, shop, 2)) as [Shop, Shop]
    await first.chat.composer.fill('Half a sentence')
    await expect(second.chat.composer).toHaveValue('Half a sentence')
    await second.chat.composer.fill('')
    await expect(first.chat.composer).toHaveValue('')
  })
})
