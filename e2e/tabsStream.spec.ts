import { expect, test } from './fixtures.ts'
import { expectShownByAll, findStreamingTabs, openTabs, type StreamTab } from './streamTabs.ts'

test('tabs share streams and a draft, also when one with a stream is gone', async ({ page, context, hostPage }) => {
  const tabs = await openTabs(context, page, hostPage, 8)
  await test.step('eight on a host with six connections all show a message sent in one of them', async () => {
    for (const at of [0, 7]) {
      const text = `From tab ${at} ${crypto.randomUUID()}`
      await tabs[at]?.chat.say(text)
      await expectShownByAll(tabs, text)
    }
    expect(await findStreamingTabs(page)).toHaveLength(3)
  })
  await test.step('the draft', async () => {
    const [first, second] = tabs as [StreamTab, StreamTab]
    await first.chat.composer.fill('Half a sentence')
    await expect(second.chat.composer).toHaveValue('Half a sentence')
    await second.chat.composer.fill('')
    await expect(first.chat.composer).toHaveValue('')
  })
  for (const how of ['closed', 'crashed'])
    await test.step(`a tab with a stream is ${how}`, async () => {
      // The tabs that were opened first have them.
      const gone = tabs.shift() as StreamTab
      await gone.chat.say(`Before ${crypto.randomUUID()}`)
      if (how === 'closed') await gone.page.close()
      else await gone.page.goto('chrome://crash').catch(() => {})
      const text = `After ${crypto.randomUUID()}`
      await tabs[1]?.chat.say(text)
      await expectShownByAll(tabs, text)
    })
})
