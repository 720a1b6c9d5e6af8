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

/** The client ids of the tabs that hold the leader lock. */
const findLeaders = (page: Page) =>
  page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query()
    return held.filter(({ name }) => /^natter:.*:3:/.test(name ?? '')).map(({ clientId }) => clientId)
  })

const expectShownByAll = async (tabs: Shop[], text: string) => {
  for (const tab of tabs) await expect(tab.chat.transcript.getByText(text)).toHaveCount(1, { timeout: 15_000 })
}

test.describe('tabs that share a stream', () => {
  test('can be ten on a host with six connections, and all show a message sent in one of them', async ({
    shop,
    context,
  }) => {
    const tabs = await openTabs(context, shop, 10)
    for (const at of [0, 9]) {
      const text = `From tab ${at} ${crypto.randomUUID()}`
      await tabs[at]?.chat.say(text)
      await expectShownByAll(tabs, text)
    }
    expect(await findLeaders(shop.page)).toHaveLength(1)
  })

  for (const how of ['closed', 'crashed']) {
    test(`keep working when the leader is ${how}`, async ({ shop, context }) => {
      const [first, ...rest] = (await openTabs(context, shop, 3)) as [Shop, Shop, Shop]
      // The tab that sent last is the leader.
      await first.chat.say(`Before ${crypto.randomUUID()}`)
      if (how === 'closed') await first.page.close()
      else await first.page.goto('chrome://crash').catch(() => {})
      const text = `After ${crypto.randomUUID()}`
      await rest[1].chat.say(text)
      await expectShownByAll(rest, text)
    })
  }

  test('keep working while the leader is frozen, and it shows everything once resumed', async ({ shop, context }) => {
    const [first, ...rest] = (await openTabs(context, shop, 3)) as [Shop, Shop, Shop]
    await first.chat.say(`Before ${crypto.randomUUID()}`)
    const before = await findLeaders(rest[0].page)
    const devtools = await context.newCDPSession(first.page)
    // Chromium never freezes a visible page, so pause it with the debugger instead.
    await devtools.send('Debugger.enable')
    await devtools.send('Debugger.pause')
    // The other tabs must notice the leader's silence without any activity.
    await expect.poll(() => findLeaders(rest[0].page), { timeout: 60_000 }).not.toEqual(before)
    const text = `While one is frozen ${crypto.randomUUID()}`
    await rest[1].chat.say(text)
    await expectShownByAll(rest, text)
    await devtools.send('Debugger.disable')
    await expectShownByAll([first, ...rest], text)
  })

  test('share the draft', async ({ shop, context }) => {
    const [first, second] = (await openTabs(context, shop, 2)) as [Shop, Shop]
    await first.chat.composer.fill('Half a sentence')
    await expect(second.chat.composer).toHaveValue('Half a sentence')
    await second.chat.composer.fill('')
    await expect(first.chat.composer).toHaveValue('')
  })
})
