import { expect, type Shop, test } from './fixtures.ts'
import { expectShownByAll, findLeaders, openTabs } from './shopTabs.ts'

test('tabs share a stream and a draft, also when the leader is gone', async ({ shop, context }) => {
  const tabs = await openTabs(context, shop, 8)
  await test.step('eight on a host with six connections all show a message sent in one of them', async () => {
    for (const at of [0, 7]) {
      const text = `From tab ${at} ${crypto.randomUUID()}`
      await tabs[at]?.chat.say(text)
      await expectShownByAll(tabs, text)
    }
    expect(await findLeaders(shop.page)).toHaveLength(1)
  })
  await test.step('the draft', async () => {
    const [first, second] = tabs as [Shop, Shop]
    await first.chat.composer.fill('Half a sentence')
    await expect(second.chat.composer).toHaveValue('Half a sentence')
    await second.chat.composer.fill('')
    await expect(first.chat.composer).toHaveValue('')
  })
  for (const how of ['closed', 'crashed'])
    await test.step(`the leader is ${how}`, async () => {
      const leader = tabs.shift() as Shop
      // The tab that sent last is the leader.
      await leader.chat.say(`Before ${crypto.randomUUID()}`)
      if (how === 'closed') await leader.page.close()
      else await leader.page.goto('chrome://crash').catch(() => {})
      const text = `After ${crypto.randomUUID()}`
      await tabs[1]?.chat.say(text)
      await expectShownByAll(tabs, text)
    })
})
