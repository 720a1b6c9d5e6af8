import { expect, test } from './fixtures.ts'
import { expectShownByAll, findStreamingTabs, openTabs, type StreamTab } from './streamTabs.ts'

test('tabs share streams and a draft', async ({ page, context, hostPage }) => {
  const tabs = await openTabs(context, page, hostPage, 4)
  await test.step('all four show a message sent in one of them, over three streams', async () => {
    for (const at of [0, 3]) {
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
})
