import { expect, test } from './fixtures.ts'
import { expectShownByAll, findStreamingTabs, openTabs, type StreamTab } from './streamTabs.ts'

test('tabs keep working while one that has a stream is frozen, and it shows everything once resumed', async ({
  page,
  context,
  hostPage,
}) => {
  const [first, ...rest] = (await openTabs(context, page, hostPage, 5)) as [StreamTab, ...StreamTab[]]
  await first.chat.say(`Before ${crypto.randomUUID()}`)
  expect(await findStreamingTabs(first.page)).toHaveLength(3)
  const devtools = await context.newCDPSession(first.page)
  // Chromium never freezes a visible page, so pause it with the debugger instead.
  await devtools.send('Debugger.enable')
  await devtools.send('Debugger.pause')
  const texts = rest.map((_, at) => `While one is frozen ${at} ${crypto.randomUUID()}`)
  for (const [at, text] of texts.entries()) {
    await rest[at]?.chat.say(text)
    await expectShownByAll(rest, text)
  }
  await devtools.send('Debugger.disable')
  for (const text of texts) await expectShownByAll([first, ...rest], text)
})

test('tabs share streams, also when one with a stream is gone', async ({ page, context, hostPage }) => {
  const tabs = await openTabs(context, page, hostPage, 8)
  await test.step('eight on a host with six connections all show a message sent in one of them', async () => {
    for (const at of [0, 7]) {
      const text = `From tab ${at} ${crypto.randomUUID()}`
      await tabs[at]?.chat.say(text)
      await expectShownByAll(tabs, text)
    }
    expect(await findStreamingTabs(page)).toHaveLength(3)
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
